//! Writes what was derived in the form of a manifest.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{FieldRole, Role, Spacing};
use serde::Serialize;

use crate::derive::error::DeriveError;
use crate::derive::grammar::Grammar;
use crate::derive::least::LeastTexts;
use crate::derive::roles::{FIELDS, Roles};
use crate::derive::rules::Rules;

/// The part of a manifest that can be derived.
#[derive(Default, Serialize)]
struct Manifest<'a> {
    word_kind: Option<&'a str>,
    lexing: Option<&'static str>,
    spacing: Spacing,
    fields: BTreeMap<FieldRole, BTreeSet<&'static str>>,
    /// In the order of their names.
    roles: BTreeMap<&'static str, BTreeSet<&'a str>>,
    tokens: BTreeMap<&'static str, &'static str>,
    derived_placeholder: Vec<Placeholder>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    derived_rule: Vec<Rule>,
}

/// Another form of nodes.
#[derive(Serialize)]
struct Rule {
    r#match: String,
    put: &'static str,
    r#as: String,
    r#let: BTreeMap<&'static str, String>,
}

/// Least texts of some kinds.
#[derive(Serialize)]
struct Placeholder {
    kinds: BTreeSet<String>,
    texts: Vec<PlaceholderText>,
}

#[derive(Clone, Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct PlaceholderText {
    text: String,
    kind: String,
}

/// Returns the text of a manifest with all that the grammar tells.
///
/// # Errors
/// If it cannot be written.
pub(super) fn text(grammar: &Grammar, rules: &Rules) -> Result<String, DeriveError> {
    let least = LeastTexts::of(grammar, rules);
    let head = "written by `xtask facts`: not to be edited.";
    Ok(format!(
        "# Derived from the grammar of tree-sitter-{}, {head}\n{}",
        grammar.name,
        toml::to_string(&of(grammar, rules, &least))?
    ))
}

/// Returns what the grammar tells.
fn of<'a>(grammar: &'a Grammar, rules: &'a Rules, least: &'a LeastTexts) -> Manifest<'a> {
    let roles = Roles::of(grammar, rules, least);
    let mut manifest = Manifest {
        word_kind: roles.word,
        lexing: grammar.comments_are_unlike_those_of_c().then_some("script"),
        spacing: Spacing { indentation: is_indented(grammar), ..Spacing::default() },
        ..Manifest::default()
    };
    for &(role, names) in FIELDS {
        let names = names.iter().filter(|name| rules.has_field(name));
        let names: BTreeSet<&str> = names.copied().collect();
        if !names.is_empty() {
            manifest.fields.insert(role, names);
        }
    }
    for (&role, kinds) in &roles.kinds {
        manifest.roles.insert(role.name(), kinds.clone());
    }
    if roles.literals.contains(";") {
        manifest.tokens.insert("statement_end", ";");
    }
    if roles.literals.contains("(") && roles.literals.contains(")") {
        manifest.tokens.extend([("open_bracket", "("), ("close_bracket", ")")]);
    }
    manifest.derived_placeholder = placeholders(&roles, least);
    manifest.derived_rule = expression_alone(grammar, &roles);
    manifest
}

/// Returns the form in which each uppermost expression in a statement stands alone. Those of one
/// token are not worth their tests.
fn expression_alone(grammar: &Grammar, roles: &Roles<'_>) -> Vec<Rule> {
    let has = |role| roles.of_role(role).next().is_some();
    if !(has(Role::Statement) && has(Role::CompoundExpression)) {
        return Vec::new();
    }
    let below = format!("$.below({})[*]", Role::CompoundExpression.name());
    let alone = |kind: &str| Rule {
        r#match: format!("({})", Role::Statement.name()),
        put: if grammar.mentions_semicolon(kind) { "$EXPRESSION;" } else { "$EXPRESSION" },
        r#as: kind.to_owned(),
        r#let: BTreeMap::from([("EXPRESSION", below.clone())]),
    };
    roles.of_role(Role::ExpressionStatement).map(alone).collect()
}

/// Returns whether a scanner of the grammar looks at how far lines are indented.
fn is_indented(grammar: &Grammar) -> bool {
    let mut names = grammar.externals.iter().filter_map(|token| token["name"].as_str());
    names.any(|name| ["indent", "dedent", "layout"].iter().any(|part| name.contains(part)))
}

/// Returns the texts that may stand for nodes of each kind: one where values stand, one where
/// statements stand, and empty brackets.
fn placeholders(roles: &Roles<'_>, least: &LeastTexts) -> Vec<Placeholder> {
    let mut texts: BTreeMap<&str, BTreeSet<PlaceholderText>> = BTreeMap::new();
    let with_kind = |text: String, kind: &str| PlaceholderText { text, kind: kind.to_owned() };
    let alone = |kind: &str| {
        let tokens = least.tokens(kind).filter(|tokens| (1..=2).contains(&tokens.len()))?;
        Some(with_kind(joined(tokens), kind))
    };
    for kind in roles.of_role(Role::Hollow) {
        let is_fixed =
            |tokens: &&[String]| tokens.iter().all(|token| roles.literals.contains(token.as_str()));
        let text = least.tokens(kind).filter(is_fixed).and_then(|_| alone(kind));
        texts.entry(kind).or_default().extend(text);
    }
    let is_name = |kind: &str| roles.of_role(Role::Identifier).any(|name| name == kind);
    let small = |role| {
        let all = roles.of_role(role).filter(|kind| !is_name(kind)).filter_map(alone);
        let mut all: Vec<PlaceholderText> = all.collect();
        all.sort_by_key(|t| (t.text.len(), t.text.clone()));
        all
    };
    let small_values = small(Role::Expression);
    let nothing = small_values.iter().find(|t| NOTHING.contains(&t.text.as_str()));
    let quotes = small_values.iter().find(|t| t.text == "\"\"");
    let values: Vec<&PlaceholderText> = nothing.into_iter().chain(quotes).collect();
    for kind in roles.of_role(Role::Expression) {
        let others = values.iter().map(|&text| text.clone());
        let is_leaf = |zero: &&str| least.is_token(zero) || *zero == kind;
        let zeros = roles.of_role(Role::Expression).filter(|kind| roles.zeros.contains(kind));
        let zeros = zeros.filter(is_leaf).map(|zero| with_kind("0".to_owned(), zero));
        texts.entry(kind).or_default().extend(zeros.chain(others));
    }
    let statements = small(Role::Statement);
    let statement = statements.iter().find(|t| EMPTY.contains(&t.text.as_str()));
    for kind in roles.of_role(Role::Statement) {
        texts.entry(kind).or_default().extend(statement.cloned());
    }
    let mut by_texts: BTreeMap<BTreeSet<PlaceholderText>, BTreeSet<String>> = BTreeMap::new();
    for (kind, all) in texts {
        by_texts.entry(all).or_default().insert(kind.to_owned());
    }
    let filled = by_texts.into_iter().filter(|(texts, _)| !texts.is_empty());
    filled.map(|(texts, kinds)| Placeholder { kinds, texts: texts.into_iter().collect() }).collect()
}

/// Returns tokens as a text: words apart, signs close to each other.
fn joined(tokens: &[String]) -> String {
    let is_word = |token: &String| token.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    tokens.join(if tokens.iter().any(is_word) { " " } else { "" })
}

/// How languages write that there is no value.
const NOTHING: &[&str] = &["nil", "null", "NULL", "None", "undefined", "unit", "nothing", "()"];

/// How languages write that nothing is to be done.
const EMPTY: &[&str] = &[";", "pass", "{}", "skip", "()"];
