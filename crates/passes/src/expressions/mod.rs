//! Passes that put one expression or statement in place of another.

pub(crate) mod copy_propagation;
pub(crate) mod inline;
pub(crate) mod reduce_numbers;
