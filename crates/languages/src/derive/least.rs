//! The least text of every kind: the fewest tokens that its rule can be made of.

use std::collections::BTreeMap;

use regex::Regex;

use crate::derive::expression::Expr;
use crate::derive::grammar::{Form, Grammar, Rule};
use crate::derive::rules::{Line, Rules};

/// The least texts of the kinds of a grammar, as far as they can be told.
pub(super) struct LeastTexts<'a>(BTreeMap<&'a str, Text<'a>>);

/// The tokens of a text. Fewer are less, then fewer bytes.
type Text<'a> = Vec<&'a str>;

/// More tokens are not worth writing.
const MOST: usize = 8;

impl<'a> LeastTexts<'a> {
    /// Finds the least texts: from those of tokens up, until nothing gets less.
    pub(super) fn of(grammar: &'a Grammar, rules: &Rules<'a>) -> Self {
        let mut least = Self(BTreeMap::new());
        let tokens = grammar.names().map(|name| (name, name));
        for (name, rule) in tokens.chain(rules.token_aliases.iter().copied()) {
            let holds_nodes = |line: &Line<'_>| line.body.names().any(|name| name != "hidden");
            if !rules.lines.iter().any(|line| line.name == name && holds_nodes(line))
                && let Some(text) = grammar.rule(rule).and_then(least_token)
            {
                least.0.insert(name, vec![text]);
            }
        }
        loop {
            let before = least.0.clone();
            for line in &rules.lines {
                let now = least.expr(&line.body).into_iter().chain(least.0.remove(line.name));
                least.0.extend(now.min_by_key(key).map(|text| (line.name, text)));
            }
            if least.0 == before {
                return least;
            }
        }
    }

    /// Returns the tokens of the least text of a kind; none if the kind can be empty.
    pub(super) fn tokens(&self, kind: &str) -> Option<&[&'a str]> {
        self.0.get(kind).map(Vec::as_slice)
    }

    /// Returns the kinds of which this is the least text.
    pub(super) fn kinds_of(&self, tokens: &[&str]) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(_, text)| **text == tokens).map(|(kind, _)| *kind)
    }

    fn expr(&self, expr: &Expr<'a>) -> Option<Text<'a>> {
        match expr {
            Expr::Name(name) => self.0.get(name).cloned(),
            Expr::Literal(text) => Some(vec![text]),
            Expr::Seq(parts) => {
                let parts: Option<Vec<Text<'a>>> = parts.iter().map(|p| self.expr(p)).collect();
                parts.map(|parts| parts.concat()).filter(|all| all.len() <= MOST)
            }
            Expr::Choice(parts) => parts.iter().filter_map(|p| self.expr(p)).min_by_key(key),
            Expr::Many(inner, '+') => self.expr(inner),
            Expr::Many(..) => Some(Vec::new()),
        }
    }
}

fn key<'a>(text: &Text<'a>) -> (usize, usize, Text<'a>) {
    (text.len(), text.iter().map(|token| token.len()).sum(), text.clone())
}

/// Texts that some token of nearly every language can be, the least first.
const SAMPLES: &[&str] = &[
    "0", "a", "A", "\"\"", "''", "``", "0.0", "'a'", "\"a\"", "_", "$a", "@a", "%a", "#a", ":a",
    "@A", "%A",
];

/// Returns the least text of a token among those that are usual; `None` if none fits, or if its
/// pattern is not of a form that we understand.
fn least_token(rule: &Rule) -> Option<&str> {
    if rule.form == Form::String {
        return Some(rule.text());
    }
    let pattern = Regex::new(&format!("^(?:{})$", rule.pattern()?)).ok()?;
    SAMPLES.iter().copied().find(|sample| pattern.is_match(sample))
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::least_token;

    #[test]
    fn the_least_text_of_a_token_fits_its_pattern() {
        let check = |rule, expected| {
            assert_eq!(least_token(&from_value(rule).expect("a rule")), expected);
        };
        check(json!({ "type": "PATTERN", "value": "\\d+" }), Some("0"));
        let local = json!({ "type": "TOKEN", "content": { "type": "SEQ", "members": [
            { "type": "STRING", "value": "%" }, { "type": "PATTERN", "value": "[a-z]+" },
        ] } });
        check(local, Some("%a"));
        check(json!({ "type": "PATTERN", "value": "SELECT", "flags": "i" }), None);
        // Tree-sitter knows forms of patterns that we do not.
        check(json!({ "type": "PATTERN", "value": "(?<=a)b" }), None);
    }
}
