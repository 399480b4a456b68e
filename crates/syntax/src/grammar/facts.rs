//! Grammar facts: which child sequences the nodes of each kind may have.
//!
//! The facts of a language are a text in its own small normal form, one rule per line:
//!
//! ```text
//! argument_list = "(" (_argument ("," _argument)*)? ")"
//! _argument := expression | compound_statement
//! ```
//!
//! `=` gives the children of a visible kind (several lines for one kind are alternatives), `:=`
//! names an expression that is put in wherever its name stands. Names without a rule are leaves.

use std::collections::{BTreeMap, HashMap};

use crate::grammar::automaton::{Automaton, Builder, Hidden, MOST_KINDS};
use crate::grammar::expression::{Expression, Reader};
use crate::{Kind, Kinds};

/// The child sequences that every kind may have, as automata.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    automata: HashMap<Kind, Automaton>,
}

/// The error for a text that does not consist of grammar facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("grammar facts, line {line}: {what}")]
pub struct FactsError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Facts {
    /// Reads facts; kinds that they mention are added to `kinds`.
    ///
    /// # Errors
    /// If a line does not follow the normal form, or its rule is too large to be used.
    pub fn parse(text: &str, kinds: &mut Kinds) -> Result<Self, FactsError> {
        let mut hidden = BTreeMap::new();
        let mut visible: BTreeMap<Kind, (usize, Vec<Expression>)> = BTreeMap::new();
        for (number, line) in text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |what: String| FactsError { line: number, what };
            let Some((name, body)) = line.split_once('=') else {
                return Err(wrong("expected `name = expression`".into()));
            };
            let expression = Reader::new(body).whole().map_err(wrong)?;
            if let Some(name) = name.strip_suffix(':') {
                hidden.insert(name.trim_end().to_owned(), expression);
            } else if kinds.count() > MOST_KINDS {
                return Err(wrong("too many kinds".into()));
            } else {
                let kind = kinds.intern(name.trim_end(), true);
                visible.entry(kind).or_insert((number, Vec::new())).1.push(expression);
            }
        }
        let hidden = Hidden::new(hidden);
        let mut automata = HashMap::new();
        for (kind, (line, bodies)) in visible {
            let (mut builder, end) = Builder::new(&hidden, kinds);
            bodies.iter().for_each(|body| builder.add(body, 0, end));
            let automaton = builder.finish(end).map_err(|what| FactsError {
                line,
                what: format!("`{}` has too many {what}", kinds.name(kind)),
            })?;
            automata.insert(kind, automaton);
        }
        Ok(Self { automata })
    }

    /// Returns the automaton for the children of a kind; `None` when nothing is known about it.
    pub fn automaton(&self, kind: Kind) -> Option<&Automaton> {
        self.automata.get(&kind)
    }

    /// Takes over what `other` knows, whose kinds are in the same table.
    pub fn adopt(&mut self, other: &Self) {
        self.automata.extend(other.automata.iter().map(|(&kind, known)| (kind, known.clone())));
    }

    /// Lets a node of kind `parent` have one child of kind `child` and no other as well. Where
    /// nothing is known about `parent`, nothing changes.
    pub fn allow_alone(&mut self, parent: Kind, child: Kind) {
        if let Some(automaton) = self.automata.get_mut(&parent) {
            automaton.allow_alone(child);
        }
    }

    /// Returns whether nothing is known about any kind.
    pub fn is_empty(&self) -> bool {
        self.automata.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Facts;
    use crate::{Kind, Kinds};

    const CALL: &str = "call = \"(\" (_arg (\",\" _arg)*)? \")\"\n_arg := name | call";

    fn accepts(children: &[(&str, bool)]) -> bool {
        let mut kinds = Kinds::default();
        let facts = Facts::parse(CALL, &mut kinds).unwrap();
        let call = facts.automaton(kinds.named("call").unwrap()).unwrap();
        let sequence: Vec<Kind> = children.iter().map(|&(n, v)| kinds.intern(n, v)).collect();
        call.accepts(sequence)
    }

    #[test]
    fn separated_lists_may_be_empty_but_not_end_in_a_separator() {
        let open = ("(", false);
        let name = ("name", true);
        let comma = (",", false);
        let close = (")", false);
        assert!(accepts(&[open, close]));
        assert!(accepts(&[open, name, close]));
        assert!(accepts(&[open, name, comma, ("call", true), close]));
        assert!(!accepts(&[open, name, comma, close]));
        assert!(!accepts(&[open, name, name, close]));
        assert!(!accepts(&[open, name]));
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = |text: &str| Facts::parse(text, &mut Kinds::default()).unwrap_err().to_string();
        assert_eq!(error("a = b\nc = (d"), "grammar facts, line 2: a `(` without its `)`");
        let levels = "grammar facts, line 1: more than 256 levels";
        assert_eq!(error(&format!("a = {}", "(".repeat(100_000))), levels);
        assert_eq!(error(&format!("a = b{}", "?".repeat(100_000))), levels);
    }

    #[test]
    fn what_grows_without_measure_is_refused() {
        let rules = |body: fn(usize) -> String, count: usize| {
            let rules = (0..count).map(|i| format!("_r{i} := {}\n", body(i + 1)));
            let text = format!("a = _r0\n{}", rules.collect::<String>());
            Facts::parse(&text, &mut Kinds::default()).map(drop).map_err(|error| error.to_string())
        };
        let states = "grammar facts, line 1: `a` has too many states";
        assert_eq!(rules(|next| format!("_r{next} _r{next}"), 64), Err(states.to_owned()));
        let depth = "grammar facts, line 1: `a` has too many rules within each other";
        assert_eq!(rules(|next| format!("x _r{next}"), 1_000), Err(depth.to_owned()));
        let choices = (0..4_000).map(|i| format!("(b{i}?)")).collect::<String>();
        let error = Facts::parse(&format!("a = {choices}"), &mut Kinds::default()).unwrap_err();
        assert_eq!(error.what, "`a` has too many steps");
        assert_eq!(rules(|next| format!("_r{next} | x"), 100), Ok(()));
    }

    #[test]
    fn rules_that_contain_themselves_accept_at_least_what_they_should() {
        let mut kinds = Kinds::default();
        let text = "a = _chain\n_chain := (_chain | b) \"&\" c\nd = _e\n_e := \"(\" _e \")\" | f";
        let facts = Facts::parse(text, &mut kinds).unwrap();
        let mut accepts = |kind: &str, children: &str| {
            let automaton = facts.automaton(kinds.named(kind).unwrap()).unwrap();
            let is_named = |c: char| c.is_alphabetic();
            let all = children.chars().map(|c| kinds.intern(&c.to_string(), is_named(c)));
            automaton.accepts(all.collect::<Vec<Kind>>())
        };
        assert!(accepts("a", "b&c") && accepts("a", "b&c&c&c"));
        assert!(!accepts("a", "b") && !accepts("a", "b&c&") && !accepts("a", "c&c"));
        assert!(accepts("d", "f") && accepts("d", "((f))"));
        // More than the rule: nobody counts the brackets.
        assert!(accepts("d", "((f)") && !accepts("d", "(("));
        let endless = Facts::parse("a = _x\n_x := _x b", &mut kinds).unwrap();
        assert!(!endless.automaton(kinds.named("a").unwrap()).unwrap().accepts([]));
    }
}
