//! What a `node-types.json` tells where there is no `grammar.json`: which kinds may stand below
//! which and in which fields, but neither in which order nor between which tokens.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::derive::error::DeriveError;
use crate::derive::expression::Expr;
use crate::derive::grammar::Grammar;
use crate::derive::rules::Rules;

/// Returns rules that allow at least what the types do. They are good for roles, not for facts:
/// their tokens are unknown.
///
/// # Errors
/// If the text is no `node-types.json`.
pub(super) fn rules(name: &str, node_types: &str) -> Result<(Grammar, Rules), DeriveError> {
    let types: Vec<Value> = serde_json::from_str(node_types)?;
    let mut names = Vec::new();
    let mut supertypes = Vec::new();
    let mut bodies = Vec::new();
    let mut fields = BTreeMap::new();
    let mut tokens = Vec::new();
    for node in &types {
        let Some(kind) = node["type"].as_str() else { continue };
        if !node["named"].as_bool().unwrap_or_default() {
            tokens.push(Expr::Literal(kind.to_owned()));
            continue;
        }
        names.push(kind.to_owned());
        if let Some(subtypes) = node.get("subtypes") {
            supertypes.push(kind.to_owned());
            bodies.push((kind.to_owned(), choice(subtypes)));
            continue;
        }
        let own: Vec<(String, Expr)> = node["fields"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(field, held)| (field.clone(), many(held)))
            .collect();
        let children = node.get("children").map(many);
        let parts = own.iter().map(|(_, held)| held.clone()).chain(children);
        let parts: Vec<Expr> = parts.filter(|part| !part.is_nothing()).collect();
        if !parts.is_empty() {
            // Nobody knows the tokens, so that there is no least text.
            let unknown = Expr::Name("hidden".to_owned());
            bodies.push((kind.to_owned(), Expr::seq([unknown].into_iter().chain(parts))));
        }
        fields.insert(kind.to_owned(), own);
    }
    // Nothing refers to it: it only says which tokens there are.
    names.push(TOKENS.to_owned());
    supertypes.push(TOKENS.to_owned());
    bodies.push((TOKENS.to_owned(), Expr::choice(tokens)));
    let grammar = Grammar::of_kinds(name, names, supertypes);
    let rules = Rules::of_bodies(bodies, fields, &grammar);
    Ok((grammar, rules))
}

/// The name of a rule that no grammar has.
const TOKENS: &str = "_ tokens";

/// Returns as many of these types as are allowed.
fn many(held: &Value) -> Expr {
    let is = |key: &str| held[key].as_bool().unwrap_or_default();
    let one = choice(&held["types"]);
    match (is("required"), is("multiple")) {
        (true, false) => one,
        (false, false) => Expr::many(one, '?'),
        (true, true) => Expr::many(one, '+'),
        (false, true) => Expr::many(one, '*'),
    }
}

fn choice(types: &Value) -> Expr {
    let types = types.as_array().into_iter().flatten();
    Expr::choice(types.filter_map(|node| {
        let kind = node["type"].as_str()?.to_owned();
        let is_named = node["named"].as_bool().unwrap_or_default();
        Some(if is_named { Expr::Name(kind) } else { Expr::Literal(kind) })
    }))
}
