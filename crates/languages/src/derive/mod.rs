//! What a grammar says about its language: facts, roles and least texts, derived from the
//! `grammar.json` that comes with its parser. What nobody can derive stands in manifests.
//!
//! Must not know any language: only the habits of those who write grammars for tree-sitter, which
//! are the names of their rules and fields.

mod expression;
mod grammar;
mod least;
mod manifest;
mod roles;
mod rules;

use grammar::Grammar;
use rules::Rules;

/// What was derived from a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The children that nodes may have: the text of a `facts.ebnf`.
    pub facts: String,
    /// Roles, fields and least texts: the text of a `derived.toml`, a manifest that others
    /// override.
    pub manifest: String,
}

/// Derives all that the text of a `grammar.json` tells.
///
/// # Errors
/// If it is malformed.
pub fn derive(grammar_json: &str) -> Result<Derived, DeriveError> {
    let grammar = Grammar::read(grammar_json)?;
    let rules = Rules::of(&grammar);
    Ok(Derived { facts: rules.facts(&grammar), manifest: manifest::text(&grammar, &rules)? })
}

/// Why nothing can be derived from a text.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    /// It is no `grammar.json`.
    #[error("not in tree-sitter's form: {0}")]
    Form(#[from] serde_json::Error),
    /// It has more rules than any grammar that people write.
    #[error("{0} rules are too many")]
    TooLarge(usize),
    /// A rule has a name that no rule can have.
    #[error("a rule cannot be called `{0}`")]
    Name(String),
    /// What was found cannot be written as a manifest.
    #[error("{0}")]
    Write(#[from] toml::ser::Error),
}
