//! What passes are made of: their context, proposals, and what several of them ask of a tree.

pub(crate) mod clauses;
pub(crate) mod context;
pub(crate) mod declarations;
pub(crate) mod dependencies;
pub(crate) mod directory;
pub(crate) mod limits;
pub(crate) mod mention_removal;
pub(crate) mod numbers;
pub(crate) mod orphans;
pub(crate) mod proposal;
pub(crate) mod references;
pub(crate) mod siblings;
pub(crate) mod slots;
pub(crate) mod style_rules;
pub(crate) mod tags;
pub(crate) mod text_facts;
pub(crate) mod views;
