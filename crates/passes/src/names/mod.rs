//! Passes over every mention of a name.

pub(crate) mod merge_names;
pub(crate) mod normalize;
pub(crate) mod removal;
