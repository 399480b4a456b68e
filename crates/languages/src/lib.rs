//! Text to trees, and grammars as data: the registry of languages.
//!
//! Must not know: edits, searching, files, processes. Types of tree-sitter and html5ever stay here.

mod binary;
mod coded;
mod derive;
mod foreign;
#[cfg(feature = "html")]
mod html;
mod manifest;
mod nested;
mod plain;
mod project;
mod registry;
mod tree_sitter;

pub use binary::guess::guess_records;
pub use derive::{DeriveError, Derived, derive};
pub use foreign::{ForeignError, ForeignGrammar};
pub use manifest::error::ManifestError;
pub use manifest::rule_files::{RulePassInfo, rule_passes};
pub use minirepro_rules::{
    OneOrMore, RuleExample, RuleFile, RuleName, RulePass, passes as rules_of,
};
pub use project::language::{FileForm, project, project_kinds};
pub use project::parser::PROJECT;
pub use registry::{
    Info, LanguageError, absent, add_rules, all, archive, by_name, by_name_in, derived, elsewhere,
    guess, guess_by_text, is_file_name, is_known, members, rule_file, without_form,
};
