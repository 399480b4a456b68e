//! Reads text with tree-sitter: whole, incrementally, or item by item.

mod apart;
pub(crate) mod broken;
pub(crate) mod chunked;
mod convert;
pub(crate) mod incremental;
pub(crate) mod parser;
pub(crate) mod symbols;
