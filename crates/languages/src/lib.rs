//! Text to trees, and grammars as data: the registry of languages.
//!
//! Must not know: edits, searching, files, processes. Types of tree-sitter and html5ever stay here.

mod binary;
mod by_text;
mod derive;
mod html;
mod manifest;
mod nested;
mod plain;
mod registry;
mod tree_sitter;

pub use binary::guess::guess_records;
pub use derive::{DeriveError, Derived, derive};
pub use manifest::error::ManifestError;
pub use manifest::report::ReportTools;
pub use registry::{
    Info, LanguageError, add_rules, all, by_name, check_manifest, guess, guess_by_text, is_known,
    report_tools,
};
