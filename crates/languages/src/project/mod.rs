//! The files of a directory as one tree: each is read by its own language.

pub(crate) mod language;
mod parser;
mod reading;
