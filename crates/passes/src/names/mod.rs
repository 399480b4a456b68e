//! Passes over every mention of a name.

pub(crate) mod merge_names;
pub(crate) mod name_numbers;
pub(crate) mod normalize;
pub(crate) mod remove_linked;
pub(crate) mod remove_symbol;
pub(crate) mod remove_with_unused;
