//! What a grammar says about its language: facts, roles and least texts, derived from the
//! `grammar.json` that comes with its parser. What nobody can derive stands in manifests.
//!
//! Must not know any language: only the habits of those who write grammars for tree-sitter, which
//! are the names of their rules and fields.

mod error;
mod expression;
mod grammar;
mod least;
mod lexical;
mod manifest;
mod roles;
mod rules;

pub use error::DeriveError;
use grammar::Grammar;
use rules::Rules;
use serde::Deserialize;

/// What was derived from a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The children that nodes may have: the text of a `facts.ebnf`.
    pub facts: String,
    /// Roles, fields and least texts: the text of a `derived.toml`, a manifest that others
    /// override.
    pub manifest: String,
}

/// The keys of a manifest that are taken from what was derived.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum DerivedKeys {
    /// All of them, or none.
    All(bool),
    /// These: `KEY` or `SECTION.KEY`. The others stand in the manifest.
    Only(Vec<String>),
}

impl Default for DerivedKeys {
    fn default() -> Self {
        Self::All(false)
    }
}

impl Derived {
    /// Returns the text of the manifest with nothing but some of its keys; `None` for none of them.
    ///
    /// # Errors
    /// If a key is not among those that were derived.
    pub fn manifest_of(&self, keys: &DerivedKeys) -> Result<Option<String>, DeriveError> {
        match keys {
            DerivedKeys::All(false) => Ok(None),
            DerivedKeys::All(true) => Ok(Some(self.manifest.clone())),
            DerivedKeys::Only(keys) => manifest::only(&self.manifest, keys).map(Some),
        }
    }
}

/// Derives all that the text of a `grammar.json` tells.
///
/// # Errors
/// If it is malformed.
pub fn derive(grammar_json: &str) -> Result<Derived, DeriveError> {
    let grammar = Grammar::read(grammar_json)?;
    let rules = Rules::of(&grammar)?;
    Ok(Derived { facts: rules.facts(&grammar), manifest: manifest::text(&grammar, &rules)? })
}
