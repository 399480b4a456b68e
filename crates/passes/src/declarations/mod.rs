//! Passes over declarations: qualifiers, sizes.

pub(crate) mod join_sizes;
pub(crate) mod specifiers;
