//! Edits as values, and the text that they leave.

pub(crate) mod edits;
pub(crate) mod render;
