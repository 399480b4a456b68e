//! Edits that make nothing smaller by themselves but may lead out of a local minimum.

pub(crate) mod substitute;
