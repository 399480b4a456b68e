//! Reads a `grammar.json`, the form in which tree-sitter's tools keep a grammar beside its parser.

use std::collections::HashMap;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::derive::error::DeriveError;

/// The largest grammars have some 2,000 rules; what is derived takes up to the square of their
/// number.
const MOST_RULES: usize = 10_000;

/// The parts of a `grammar.json` that knowledge is derived from.
#[derive(Deserialize)]
pub(super) struct Grammar {
    pub(super) name: String,
    /// The kind that keywords are told apart from.
    pub(super) word: Option<String>,
    #[serde(deserialize_with = "in_order")]
    pub(super) rules: Vec<(String, Value)>,
    /// Tokens that a scanner finds.
    #[serde(default)]
    pub(super) externals: Vec<Value>,
    /// What may stand between any two tokens.
    #[serde(default)]
    pub(super) extras: Vec<Value>,
    #[serde(default)]
    pub(super) supertypes: Vec<String>,
    #[serde(default)]
    inline: Vec<String>,
    /// Where in `rules` each rule stands.
    #[serde(skip)]
    places: HashMap<String, usize>,
}

/// Returns the members of an object in the order of the file: the first rule is the root.
fn in_order<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Value)>, D::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    from.deserialize_map(Members)
}

impl Grammar {
    /// Reads the text of a `grammar.json`.
    ///
    /// # Errors
    /// If it is not JSON, or not of that form.
    pub(super) fn read(text: &str) -> Result<Self, DeriveError> {
        let mut grammar: Self = serde_json::from_str(text)?;
        if grammar.rules.len() > MOST_RULES {
            return Err(DeriveError::TooLarge(grammar.rules.len()));
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let is_name = |name: &str| !name.is_empty() && name.chars().all(is_part);
        if let Some((name, _)) = grammar.rules.iter().find(|(name, _)| !is_name(name)) {
            return Err(DeriveError::Name(name.clone()));
        }
        let names = grammar.rules.iter().map(|(name, _)| name.clone());
        grammar.places = names.zip(0..).collect();
        Ok(grammar)
    }

    /// Returns the body of a rule without the wrappers that do not show in trees; tokens of a
    /// scanner have none.
    pub(super) fn rule(&self, name: &str) -> Option<&Value> {
        self.places.get(name).map(|&at| unwrapped(&self.rules[at].1))
    }

    /// Returns the whole body of a rule; tokens of a scanner have none.
    pub(super) fn rule_with_wrappers(&self, name: &str) -> Option<&Value> {
        self.places.get(name).map(|&at| &self.rules[at].1)
    }

    /// Returns whether nodes of the kind may stand between any two tokens.
    pub(super) fn is_extra(&self, name: &str) -> bool {
        self.extras.iter().any(|extra| extra["name"] == name || extra["value"] == name)
    }

    /// Returns whether nodes of the kind may end with a semicolon.
    pub(super) fn mentions_semicolon(&self, kind: &str) -> bool {
        let is_semicolon = |rule: &Value| {
            let name = rule["name"].as_str().unwrap_or_default();
            rule["value"] == ";" || name.contains("semicolon")
        };
        self.rule(kind).is_some_and(|rule| parts(rule).any(is_semicolon))
    }

    /// Returns whether `//` begins no comment.
    pub(super) fn comments_are_unlike_those_of_c(&self) -> bool {
        let is_comment = |name: &str| name.to_lowercase().contains("comment");
        let mut comments = self.rules.iter().filter(|(name, _)| is_comment(name));
        !comments.any(|(_, rule)| begins_with_slashes(rule))
    }

    /// Returns whether a rule shows no node of its own.
    pub(super) fn is_hidden(&self, name: &str) -> bool {
        name.starts_with('_')
            || self.supertypes.iter().any(|s| s == name)
            || self.inline.iter().any(|s| s == name)
    }
}

/// Returns whether a string or a pattern in the rule begins with two slashes.
fn begins_with_slashes(rule: &Value) -> bool {
    let text = |rule: &Value| rule["value"].as_str().unwrap_or_default().replace('\\', "");
    let mut texts = parts(rule).filter(|rule| matches!(kind(rule), "STRING" | "PATTERN"));
    texts.any(|rule| text(rule).starts_with("//"))
}

/// Returns a rule and all rules in it, but not those that it names.
pub(super) fn parts(rule: &Value) -> impl Iterator<Item = &Value> {
    let mut left = vec![rule];
    std::iter::from_fn(move || {
        let rule = left.pop()?;
        left.extend(members(rule));
        left.extend(rule.get("content"));
        Some(rule)
    })
}

/// Returns the type of a rule's form.
pub(super) fn kind(rule: &Value) -> &str {
    rule["type"].as_str().unwrap_or_default()
}

/// Returns the parts of a sequence or a choice.
pub(super) fn members(rule: &Value) -> &[Value] {
    rule["members"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the rule without the wrappers that do not show in trees.
pub(super) fn unwrapped(rule: &Value) -> &Value {
    match kind(rule) {
        "FIELD" | "PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC" | "RESERVED" => {
            unwrapped(&rule["content"])
        }
        _ => rule,
    }
}

#[cfg(test)]
mod tests {
    use super::Grammar;

    #[test]
    fn only_where_a_comment_begins_with_two_slashes_they_begin_one() {
        for (comment, expected) in [
            (r##"{ "type": "PATTERN", "value": "#.*" }"##, true),
            (
                r#"{ "type": "TOKEN", "content": { "type": "SEQ", "members": [
                { "type": "STRING", "value": "//" }, { "type": "PATTERN", "value": ".*" }] } }"#,
                false,
            ),
            (r#"{ "type": "PATTERN", "value": "\\/\\/.*" }"#, false),
        ] {
            let rules = format!(r#"{{ "name": "x", "rules": {{ "line_comment": {comment} }} }}"#);
            let grammar = Grammar::read(&rules).expect("a grammar");
            assert_eq!(grammar.comments_are_unlike_those_of_c(), expected, "{comment}");
        }
    }
}
