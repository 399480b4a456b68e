//! Writes what was derived in the form of a manifest.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{FieldRole, Role, Spacing};
use serde::Serialize;

use crate::derive::DeriveError;
use crate::derive::grammar::Grammar;
use crate::derive::least::LeastTexts;
use crate::derive::roles::{FIELDS, Kinds, Names};
use crate::derive::rules::{Line, Rules};

/// The part of a manifest that can be derived.
#[derive(Serialize)]
struct Manifest<'a> {
    word_kind: Option<&'a str>,
    lexing: Option<&'static str>,
    spacing: Spacing,
    fields: BTreeMap<FieldRole, BTreeSet<&'static str>>,
    /// In the order of their names.
    roles: BTreeMap<&'static str, &'a Names<'a>>,
    tokens: BTreeMap<&'static str, &'static str>,
    derived_placeholder: Vec<Placeholder<'a>>,
}

/// Least texts of some kinds.
#[derive(Serialize)]
struct Placeholder<'a> {
    kinds: Names<'a>,
    texts: BTreeSet<PlaceholderText<'a>>,
}

#[derive(Clone, Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct PlaceholderText<'a> {
    text: String,
    kind: &'a str,
}

/// Returns the text of a manifest with all that the grammar tells.
///
/// # Errors
/// If it cannot be written.
pub(super) fn text(grammar: &Grammar, rules: &Rules<'_>) -> Result<String, DeriveError> {
    let least = LeastTexts::of(grammar, rules);
    let kinds = Kinds::of(grammar, rules, &least);
    let known: BTreeSet<&str> = rules.fields.values().flatten().map(|(name, _)| *name).collect();
    let fields = FIELDS.iter().map(|&(role, names)| {
        (role, names.iter().copied().filter(|name| known.contains(name)).collect())
    });
    let tokens = [("brackets", "()"), ("statement_end", ";")].into_iter();
    let has = |sign: char| kinds.literals.contains(&*sign.to_string());
    let is_indented =
        |name: &str| ["indent", "dedent", "layout"].iter().any(|part| name.contains(part));
    let manifest = Manifest {
        word_kind: kinds.word,
        lexing: grammar.comments_are_unlike_those_of_c().then_some("script"),
        spacing: Spacing {
            // A scanner of the grammar looks at how far lines are indented.
            indentation: grammar.externals().any(is_indented),
            ..Spacing::default()
        },
        fields: fields.filter(|(_, names): &(_, BTreeSet<_>)| !names.is_empty()).collect(),
        roles: kinds.roles.iter().map(|(role, kinds)| (role.name(), kinds)).collect(),
        tokens: tokens.filter(|(_, signs)| signs.chars().all(has)).collect(),
        derived_placeholder: placeholders(rules, &kinds, &least),
    };
    let (name, text) = (&grammar.name, toml::to_string(&manifest)?);
    let head = format!("Derived from the grammar of tree-sitter-{name}");
    let rules = expression_alone(grammar, &kinds);
    Ok(format!("# {head}, written by `xtask facts`: not to be edited.\n{text}{rules}"))
}

/// Returns the rule by which each uppermost expression in a statement stands alone. Those of one
/// token are not worth their tests.
fn expression_alone(grammar: &Grammar, kinds: &Kinds<'_>) -> String {
    let [statement, compound] = [Role::Statement, Role::CompoundExpression];
    let needed = [statement, compound].iter().all(|role| kinds.roles.contains_key(role));
    let alone = kinds.of_role(Role::ExpressionStatement).into_iter().filter(|_| needed);
    let rule = |kind| {
        let (statement, compound) = (statement.name(), compound.name());
        let end = if grammar.mentions_semicolon(kind) { ";" } else { "" };
        format!(
            "\n[[rules.rewrite.rule]]\nmatch = \"({statement})\"\nput = \"$EXPRESSION{end}\"\n\
             let.EXPRESSION = \"$.below({compound})[*]\"\n"
        )
    };
    alone.map(rule).collect()
}

/// Returns the texts that may stand for nodes of each kind: one where values stand, one where
/// statements stand, and empty brackets.
fn placeholders<'a>(
    rules: &Rules<'a>,
    kinds: &Kinds<'a>,
    least: &LeastTexts<'a>,
) -> Vec<Placeholder<'a>> {
    let mut texts: BTreeMap<&str, BTreeSet<PlaceholderText<'_>>> = BTreeMap::new();
    let alone = |kind| {
        let tokens = least.tokens(kind).filter(|tokens| (1..=2).contains(&tokens.len()))?;
        Some(PlaceholderText { text: joined(tokens), kind })
    };
    for kind in kinds.of_role(Role::Hollow) {
        let is_fixed = |tokens: &&[&str]| tokens.iter().all(|t| kinds.literals.contains(t));
        let text = least.tokens(kind).filter(is_fixed).and_then(|_| alone(kind));
        texts.entry(kind).or_default().extend(text);
    }
    let names = kinds.of_role(Role::Identifier);
    let [expressions, statements] =
        [Role::Expression, Role::Statement].map(|role| kinds.of_role(role));
    let least_of = |kinds: &Names<'a>, wanted: &[&str]| {
        let all = kinds.difference(&names).filter_map(|kind| alone(kind));
        all.filter(|t| wanted.contains(&&*t.text)).min_by_key(|t| (t.text.len(), t.text.clone()))
    };
    let values = [NOTHING, &["\"\""]].map(|wanted| least_of(&expressions, wanted));
    let zeros = zeros(rules, least);
    for &kind in &expressions {
        let is_leaf = |zero: &&&str| !kinds.holding.contains(*zero) || **zero == kind;
        let zeros = expressions.intersection(&zeros).filter(is_leaf);
        let zeros = zeros.map(|&kind| PlaceholderText { text: "0".to_owned(), kind });
        texts.entry(kind).or_default().extend(zeros.chain(values.iter().flatten().cloned()));
    }
    let statement = least_of(&statements, EMPTY);
    for kind in statements {
        texts.entry(kind).or_default().extend(statement.clone());
    }
    let mut by_texts: BTreeMap<BTreeSet<PlaceholderText<'_>>, BTreeSet<&str>> = BTreeMap::new();
    for (kind, all) in texts {
        by_texts.entry(all).or_default().insert(kind);
    }
    by_texts.remove(&BTreeSet::new());
    by_texts.into_iter().map(|(texts, kinds)| Placeholder { kinds, texts }).collect()
}

/// Returns the kinds whose whole text can be a zero: numbers, and what can be nothing but one.
fn zeros<'a>(rules: &Rules<'a>, least: &LeastTexts<'a>) -> Names<'a> {
    let mut zeros: Names<'a> = least.kinds_of(&["0"]).collect();
    loop {
        let before = zeros.clone();
        let is_zero = |line: &&Line<'_>| !rules.alternatives(&line.body).is_disjoint(&before);
        zeros.extend(rules.visible().filter(is_zero).map(|line| line.name));
        if zeros == before {
            return zeros;
        }
    }
}

/// Returns tokens as a text: words apart, signs close to each other.
fn joined(tokens: &[&str]) -> String {
    let is_word = |token: &&str| token.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    tokens.join(if tokens.iter().any(is_word) { " " } else { "" })
}

/// How languages write that there is no value.
const NOTHING: &[&str] = &["nil", "null", "NULL", "None", "undefined", "unit", "nothing", "()"];

/// How languages write that nothing is to be done.
const EMPTY: &[&str] = &[";", "pass", "{}", "skip", "()"];
