//! What passes are made of: their context, proposals, and what several of them ask of a tree.

pub(crate) mod context;
pub(crate) mod counts;
pub(crate) mod limits;
pub(crate) mod mention_removal;
pub(crate) mod proposal;
pub(crate) mod references;
pub(crate) mod slots;
pub(crate) mod views;
