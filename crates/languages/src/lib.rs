//! Text to trees, and grammars as data: the registry of languages.
//!
//! Must not know: edits, searching, files, processes. Types of tree-sitter and html5ever stay here.

mod browser;
mod chunks;
mod code;
mod dom;
mod embed;
mod implied;
mod lexing;
mod manifest;
mod names;
mod nested;
mod nesting;
mod origins;
mod pieces;
mod prose;
mod records;
mod recount;
mod registry;
mod reread;
mod sitter;
mod text;
mod traced;
mod written;

pub use manifest::ManifestError;
pub use records::guess_records;
pub use registry::{Info, LanguageError, all, by_name, guess};
