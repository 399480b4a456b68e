//! What a grammar says about its language: facts, roles and least texts, derived from the
//! `grammar.json` that comes with its parser. What nobody can derive stands in manifests.
//!
//! Must not know any language: only the habits of those who write grammars for tree-sitter, which are
//! the names of their rules and fields.

mod expression;
mod grammar;
mod least;
mod lexical;
mod manifest;
mod node_types;
mod roles;
mod rules;

use grammar::Grammar;
use node_types::NodeTypes;
use rules::Rules;

/// What was derived from a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The children that nodes may have: the text of a `facts.ebnf`.
    pub facts: String,
    /// Roles, fields and least texts: the text of a `derived.toml`, a manifest that others override.
    pub manifest: String,
}

/// Why nothing can be derived from a text.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    /// It is no `grammar.json`, or no `node-types.json`.
    #[error("not in tree-sitter's form: {0}")]
    Form(#[from] serde_json::Error),
    /// A rule has a form that tree-sitter does not have.
    #[error("unknown type of rule `{0}`")]
    Rule(String),
    /// A rule lacks a part.
    #[error("a rule without `{0}`")]
    Lacks(String),
    /// What was found cannot be written as a manifest.
    #[error("{0}")]
    Write(#[from] toml::ser::Error),
}

/// Derives all that the texts of a `grammar.json` and of the `node-types.json` beside it tell.
///
/// # Errors
/// If one of the texts is none.
pub fn derive(grammar_json: &str, node_types_json: &str) -> Result<Derived, DeriveError> {
    let grammar = Grammar::read(grammar_json)?;
    let node_types = NodeTypes::read(node_types_json)?;
    let rules = Rules::of(&grammar)?;
    let manifest = manifest::text(&grammar, &node_types, &rules)?;
    Ok(Derived { facts: rules.facts(&grammar), manifest })
}
