//! The files of a directory as one tree: each is read by its own language.

pub(crate) mod language;
pub(crate) mod parser;
pub(crate) mod reading;
