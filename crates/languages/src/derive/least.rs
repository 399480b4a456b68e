//! The least text of every kind: the fewest tokens that its rule can be made of.

use std::collections::{BTreeMap, BTreeSet};

use crate::derive::expression::Expr;
use crate::derive::grammar::Grammar;
use crate::derive::lexical;
use crate::derive::rules::{Line, Rules};

/// The least texts of the kinds of a grammar, as far as they can be told.
pub(super) struct LeastTexts {
    texts: BTreeMap<String, Text>,
    /// The kinds that are one token.
    tokens: BTreeSet<String>,
}

/// The tokens of a text. Fewer are less, then fewer bytes.
type Text = Vec<String>;

/// More tokens are not worth writing.
const MOST: usize = 8;

impl LeastTexts {
    /// Finds the least texts: from those of tokens up, until nothing gets less.
    pub(super) fn of(grammar: &Grammar, rules: &Rules) -> Self {
        let mut least = Self { texts: BTreeMap::new(), tokens: BTreeSet::new() };
        let tokens = grammar.rules.iter().map(|(name, _)| (name, name));
        let aliases = rules.token_aliases.iter().map(|(alias, rule)| (alias, rule));
        for (name, rule) in tokens.chain(aliases) {
            let holds_nodes = |line: &Line| line.body.names().iter().any(|&name| name != "hidden");
            if !rules.lines.iter().any(|line| line.name == *name && holds_nodes(line))
                && let Some(text) = grammar.rule(rule).and_then(lexical::least)
            {
                least.texts.insert(name.clone(), vec![text]);
                least.tokens.insert(name.clone());
            }
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for line in &rules.lines {
                let Some(text) = least.expr(&line.body) else { continue };
                if least.texts.get(&line.name).is_none_or(|old| key(&text) < key(old)) {
                    least.texts.insert(line.name.clone(), text);
                    changed = true;
                }
            }
        }
        least
    }

    /// Returns the tokens of the least text of a kind; none if the kind can be empty.
    pub(super) fn tokens(&self, kind: &str) -> Option<&[String]> {
        self.texts.get(kind).map(Vec::as_slice)
    }

    /// Returns whether the kind is one token.
    pub(super) fn is_token(&self, kind: &str) -> bool {
        self.tokens.contains(kind)
    }

    fn expr(&self, expr: &Expr) -> Option<Text> {
        match expr {
            Expr::Name(name) => self.texts.get(name).cloned(),
            Expr::Literal(text) => Some(vec![text.clone()]),
            Expr::Seq(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.expr(part)?);
                }
                (all.len() <= MOST).then_some(all)
            }
            Expr::Choice(parts) => parts.iter().filter_map(|part| self.expr(part)).min_by_key(key),
            Expr::Many(inner, '+') => self.expr(inner),
            Expr::Many(..) => Some(Vec::new()),
        }
    }
}

fn key(text: &Text) -> (usize, usize, Text) {
    (text.len(), text.iter().map(String::len).sum(), text.clone())
}
