//! What a grammar says about its language: facts, roles, least texts and languages inside, derived
//! from the `grammar.json` and the queries that come with its parser. What nobody can derive stands
//! in manifests.
//!
//! Must not know any language: only the habits of those who write grammars for tree-sitter, which
//! are the names of their rules and fields.

mod error;
mod expression;
mod grammar;
mod least;
mod lexical;
mod manifest;
mod node_types;
mod queries;
mod query_text;
mod roles;
mod rules;
mod without_grammar;

pub use error::DeriveError;
use grammar::Grammar;
use node_types::NodeTypes;
use queries::Queries;
pub use queries::{QUERY_FILES, QueryFile};
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

/// Derives all that the texts of a `grammar.json`, of the `node-types.json` beside it and of its
/// queries tell.
///
/// # Errors
/// If one of the texts is malformed.
pub fn derive(
    grammar_json: &str,
    node_types_json: &str,
    queries: &[QueryFile],
) -> Result<Derived, DeriveError> {
    let grammar = Grammar::read(grammar_json)?;
    let node_types = NodeTypes::read(node_types_json)?;
    let rules = Rules::of(&grammar)?;
    let manifest = manifest::text(&grammar, &node_types, &rules, &Queries::read(queries)?)?;
    Ok(Derived { facts: rules.facts(&grammar), manifest })
}

/// Derives what the text of a `node-types.json` tells where there is no `grammar.json`: roles, but
/// no facts. `name` is that of the grammar.
///
/// # Errors
/// If one of the texts is malformed.
pub(crate) fn derive_from_node_types(
    name: &str,
    node_types_json: &str,
    queries: &[QueryFile],
) -> Result<Derived, DeriveError> {
    let node_types = NodeTypes::read(node_types_json)?;
    let (grammar, rules) = without_grammar::rules(name, node_types_json)?;
    let manifest = manifest::text(&grammar, &node_types, &rules, &Queries::read(queries)?)?;
    Ok(Derived { facts: String::new(), manifest })
}
