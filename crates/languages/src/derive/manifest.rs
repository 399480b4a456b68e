//! Writes what was derived in the form of a manifest.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{Role, Section};
use serde::Serialize;

use crate::derive::error::DeriveError;
use crate::derive::grammar::Grammar;
use crate::derive::least::LeastTexts;
use crate::derive::roles::{FIELDS, Roles};
use crate::derive::rules::Rules;

/// The part of a manifest that can be derived.
#[derive(Default, Serialize)]
struct Manifest {
    word_kind: Option<String>,
    lexing: Option<&'static str>,
    spacing: Spacing,
    fields: BTreeMap<&'static str, BTreeSet<String>>,
    names: BTreeMap<&'static str, BTreeSet<String>>,
    declarations: BTreeMap<&'static str, BTreeSet<String>>,
    expressions: BTreeMap<&'static str, BTreeSet<String>>,
    reduce: BTreeMap<&'static str, BTreeSet<String>>,
    tokens: BTreeMap<&'static str, &'static str>,
    derived_placeholder: Vec<Placeholder>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    derived_rule: Vec<Rule>,
}

#[derive(Serialize)]
struct Spacing {
    between_tokens: bool,
    keep_words_apart: bool,
    indentation: bool,
}

impl Default for Spacing {
    fn default() -> Self {
        Self { between_tokens: true, keep_words_apart: true, indentation: false }
    }
}

/// Another form of nodes.
#[derive(Serialize)]
struct Rule {
    r#match: String,
    put: &'static str,
    r#as: String,
    any: BTreeMap<&'static str, String>,
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
    of(grammar, rules).text(&grammar.name)
}

/// Returns what the grammar tells.
fn of(grammar: &Grammar, rules: &Rules) -> Manifest {
    let least = LeastTexts::of(grammar, rules);
    let mut roles = Roles::of(grammar, rules, &least);
    roles.retain(|kind| rules.has_kind(kind));
    let mut manifest = Manifest {
        word_kind: roles.word.clone(),
        lexing: grammar.comments_are_unlike_those_of_c().then_some("script"),
        spacing: Spacing { indentation: is_indented(grammar), ..Spacing::default() },
        ..Manifest::default()
    };
    for (role, names) in FIELDS {
        let names = names.iter().filter(|name| rules.has_field(name));
        let names: BTreeSet<String> = names.map(|&name| name.to_owned()).collect();
        if !names.is_empty() {
            manifest.fields.insert(role.name(), names);
        }
    }
    for (&role, kinds) in &roles.kinds {
        manifest.section(role).insert(role.name(), kinds.clone());
    }
    if roles.literals.contains(";") {
        manifest.tokens.insert("statement_end", ";");
    }
    if roles.literals.contains("(") && roles.literals.contains(")") {
        manifest.tokens.extend([("open_bracket", "("), ("close_bracket", ")")]);
    }
    manifest.derived_placeholder = placeholders(&roles, &least);
    manifest.derived_rule = expression_alone(grammar, &roles);
    manifest
}

/// Returns the form in which each uppermost expression in a statement stands alone. Those of one
/// token are not worth their tests.
fn expression_alone(grammar: &Grammar, roles: &Roles) -> Vec<Rule> {
    let has = |role| roles.of_role(role).next().is_some();
    if !(has(Role::Statement) && has(Role::CompoundExpression)) {
        return Vec::new();
    }
    let below = format!("$.below({})", Role::CompoundExpression.name());
    let alone = |kind: &str| Rule {
        r#match: format!("({})", Role::Statement.name()),
        put: if grammar.mentions_semicolon(kind) { "$EXPRESSION;" } else { "$EXPRESSION" },
        r#as: kind.to_owned(),
        any: BTreeMap::from([("EXPRESSION", below.clone())]),
    };
    roles.of_role(Role::ExpressionStatement).map(alone).collect()
}

/// Returns the text of a manifest with nothing but these keys: `KEY` or `SECTION.KEY`.
///
/// # Errors
/// If the text has none of such a name.
pub(super) fn only(text: &str, keys: &[String]) -> Result<String, DeriveError> {
    let head = text.lines().next().unwrap_or_default();
    let all: toml::Table = toml::from_str(text).map_err(Box::new)?;
    let mut kept = toml::Table::new();
    for name in keys {
        let unknown = || DeriveError::NotDerived(name.clone());
        let (section, key) = name.split_once('.').unwrap_or(("", name));
        let (from, to) = if section.is_empty() {
            (&all, &mut kept)
        } else {
            let from = all.get(section).and_then(toml::Value::as_table).ok_or_else(unknown)?;
            let to = kept.entry(section).or_insert_with(|| toml::Table::new().into());
            (from, to.as_table_mut().ok_or_else(unknown)?)
        };
        to.insert(key.to_owned(), from.get(key).ok_or_else(unknown)?.clone());
    }
    Ok(format!("{head}\n{}", toml::to_string(&kept)?))
}

/// Returns whether a scanner of the grammar looks at how far lines are indented.
fn is_indented(grammar: &Grammar) -> bool {
    let mut names = grammar.externals.iter().filter_map(|token| token["name"].as_str());
    names.any(|name| ["indent", "dedent", "layout"].iter().any(|part| name.contains(part)))
}

/// Returns the texts that may stand for nodes of each kind: one where values stand, one where
/// statements stand, and empty brackets.
fn placeholders(roles: &Roles, least: &LeastTexts) -> Vec<Placeholder> {
    let mut texts: BTreeMap<&str, BTreeSet<PlaceholderText>> = BTreeMap::new();
    let with_kind = |text: String, kind: &str| PlaceholderText { text, kind: kind.to_owned() };
    let alone = |kind: &str| {
        let tokens = least.tokens(kind).filter(|tokens| (1..=2).contains(&tokens.len()))?;
        Some(with_kind(joined(tokens), kind))
    };
    for kind in roles.of_role(Role::Hollow) {
        let is_fixed =
            |tokens: &&[String]| tokens.iter().all(|token| roles.literals.contains(token));
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
        let zeros = roles.of_role(Role::Expression).filter(|kind| roles.zeros.contains(*kind));
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

impl Manifest {
    fn section(&mut self, role: Role) -> &mut BTreeMap<&'static str, BTreeSet<String>> {
        match role.section() {
            Section::Names => &mut self.names,
            Section::Declarations => &mut self.declarations,
            Section::Expressions => &mut self.expressions,
            // Nothing else is derived.
            Section::Markup | Section::Layout | Section::Reduce => &mut self.reduce,
        }
    }

    /// Returns the text of the manifest.
    fn text(&self, name: &str) -> Result<String, DeriveError> {
        let head = "written by `xtask facts`: not to be edited.";
        Ok(format!(
            "# Derived from the grammar of tree-sitter-{name}, {head}\n{}",
            toml::to_string(self)?
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::only;

    #[test]
    fn only_the_named_keys_are_kept_and_what_is_not_derived_is_refused() {
        let text = "# Head\nword_kind = \"a\"\n[fields]\nbody = [\"b\"]\nname = [\"c\"]\n";
        let check = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
            only(text, &keys).map_err(|error| error.to_string())
        };
        for (keys, expected) in [
            (
                &["word_kind", "fields.name"][..],
                "# Head\nword_kind = \"a\"\n\n[fields]\nname = [\"c\"]\n",
            ),
            (&["fields"], "# Head\n[fields]\nbody = [\"b\"]\nname = [\"c\"]\n"),
        ] {
            assert_eq!(check(keys).as_deref(), Ok(expected));
        }
        for key in ["fields.type", "names.scope", "spacing"] {
            let error = format!("`{key}` is not derived from this grammar");
            assert_eq!(check(&[key]), Err(error));
        }
    }
}
