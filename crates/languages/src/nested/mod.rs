//! Languages inside of languages: scripts in pages, encoded text in attributes.

pub(crate) mod encoding;
pub(crate) mod injection_parser;
