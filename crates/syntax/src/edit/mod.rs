//! Edits as values, which of them a grammar can form, and the text that they leave.

pub(crate) mod edits;
pub(crate) mod feasible;
pub(crate) mod render;
