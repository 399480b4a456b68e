//! Grammar facts: which child sequences the nodes of each kind may have. Knows no parser.
//!
//! The facts of a language are a text in its own small normal form, one rule per line:
//!
//! ```text
//! argument_list = "(" (_argument ("," _argument)*)? ")"
//! _argument := expression | compound_statement
//! ```
//!
//! `=` gives the children of a visible kind (several lines for one kind are alternatives), `:=` names
//! an expression that is put in wherever its name stands. Names without a rule are leaves.

use std::collections::{BTreeMap, HashMap};

use crate::expression::{Expression, Reader};
use crate::{Kind, Kinds};

/// The child sequences that every kind may have, as automata.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    automata: HashMap<Kind, Automaton>,
}

/// A text that is no grammar facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl std::fmt::Display for FactsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "grammar facts, line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for FactsError {}

impl Facts {
    /// Reads facts; kinds that they mention are added to `kinds`.
    ///
    /// # Errors
    /// When a line does not follow the normal form, or a `:=` rule contains itself.
    pub fn parse(text: &str, kinds: &mut Kinds) -> Result<Self, FactsError> {
        let mut hidden = BTreeMap::new();
        let mut visible: BTreeMap<Kind, Vec<(usize, Expression)>> = BTreeMap::new();
        for (number, line) in text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |what: String| FactsError { line: number, what };
            let (name, rest) = line
                .split_once([' ', '\t'])
                .ok_or_else(|| wrong("expected `name = expression`".into()))?;
            let rest = rest.trim_start();
            let (is_hidden, body) = match (rest.strip_prefix(":="), rest.strip_prefix('=')) {
                (Some(body), _) => (true, body),
                (None, Some(body)) => (false, body),
                (None, None) => return Err(wrong("expected `=` or `:=`".into())),
            };
            let expression = Reader::new(body).whole().map_err(wrong)?;
            if is_hidden {
                hidden.insert(name.to_owned(), expression);
            } else {
                let kind = kinds.intern(name, true);
                visible.entry(kind).or_default().push((number, expression));
            }
        }
        let mut automata = HashMap::new();
        for (kind, bodies) in visible {
            let mut builder = Builder {
                hidden: &hidden,
                kinds,
                states: vec![State::default()],
                inside: Vec::new(),
            };
            let end = builder.state();
            for (line, body) in &bodies {
                builder.add(body, 0, end).map_err(|what| FactsError { line: *line, what })?;
            }
            automata.insert(kind, builder.finish(end));
        }
        Ok(Self { automata })
    }

    /// The automaton for the children of a kind; `None` when nothing is known about it.
    pub fn automaton(&self, kind: Kind) -> Option<&Automaton> {
        self.automata.get(&kind)
    }

    /// Takes over what `other` knows, its kinds renamed by `to`, which must be one-to-one.
    pub fn adopt(&mut self, other: &Self, to: impl Fn(Kind) -> Kind) {
        let rename = |all: &[Steps]| -> Vec<Steps> {
            let steps = |steps: &Steps| {
                let mut steps: Steps = steps.iter().map(|(k, t)| (to(*k), t.clone())).collect();
                steps.sort_unstable();
                steps
            };
            all.iter().map(steps).collect()
        };
        for (&kind, automaton) in &other.automata {
            let Automaton { next, before, accepting } = automaton;
            let renamed = Automaton {
                next: rename(next),
                before: rename(before),
                accepting: accepting.clone(),
            };
            self.automata.insert(to(kind), renamed);
        }
    }

    /// From now on a node of kind `parent` may also have one child of kind `child` and no other.
    /// Where nothing is known about `parent`, nothing changes.
    pub fn allow_alone(&mut self, parent: Kind, child: Kind) {
        let Some(automaton) = self.automata.get_mut(&parent) else { return };
        let Automaton { next, before, accepting } = automaton;
        let end = u32::try_from(next.len()).expect("automata are small");
        next.push(Steps::new());
        before.push(vec![(child, vec![0])]);
        accepting.push(true);
        match next[0].binary_search_by_key(&child, |(kind, _)| *kind) {
            Ok(at) => next[0][at].1.push(end),
            Err(at) => next[0].insert(at, (child, vec![end])),
        }
    }

    /// Whether nothing is known about any kind.
    pub fn is_empty(&self) -> bool {
        self.automata.is_empty()
    }
}

/// A non-deterministic automaton without empty steps over the kinds of children.
#[derive(Clone, Debug)]
pub struct Automaton {
    next: Vec<Steps>,
    before: Vec<Steps>,
    accepting: Vec<bool>,
}

/// The steps of one state, sorted by kind.
type Steps = Vec<(Kind, Vec<u32>)>;

fn lookup(steps: &Steps, kind: Kind) -> &[u32] {
    steps.binary_search_by_key(&kind, |(k, _)| *k).map_or(&[], |at| &steps[at].1)
}

impl Automaton {
    /// How many states there are; state 0 is the start.
    pub fn len(&self) -> usize {
        self.next.len()
    }

    /// An automaton always has a start.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The states that `kind` leads to from `state`.
    pub fn next(&self, state: u32, kind: Kind) -> &[u32] {
        lookup(&self.next[state as usize], kind)
    }

    /// Whether the sequence may end in `state`.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// The kinds that may come next in `state`.
    pub fn expected(&self, state: u32) -> impl Iterator<Item = Kind> + '_ {
        self.next[state as usize].iter().map(|(kind, _)| *kind)
    }

    /// The set of just the start.
    pub fn start(&self) -> StateSet {
        let mut set = StateSet::none(self);
        set.insert(0);
        set
    }

    /// The states that end the sequence.
    pub fn ends(&self) -> StateSet {
        let mut set = StateSet::none(self);
        (0..self.len()).filter(|&s| self.accepting[s]).for_each(|s| set.insert(s));
        set
    }

    /// Where `kind` leads from any state of `set`.
    pub fn step(&self, set: &StateSet, kind: Kind) -> StateSet {
        let mut result = StateSet::none(self);
        for state in set.iter() {
            self.next(state, kind).iter().for_each(|&s| result.insert(s as usize));
        }
        result
    }

    /// The states from which `kind` leads into `set`.
    pub fn step_back(&self, set: &StateSet, kind: Kind) -> StateSet {
        let mut result = StateSet::none(self);
        for state in set.iter() {
            lookup(&self.before[state as usize], kind)
                .iter()
                .for_each(|&s| result.insert(s as usize));
        }
        result
    }

    /// Whether a whole sequence of children is accepted. Linear in its length times the states.
    pub fn accepts(&self, children: impl IntoIterator<Item = Kind>) -> bool {
        let mut set = self.start();
        for kind in children {
            set = self.step(&set, kind);
        }
        set.meets(&self.ends())
    }
}

/// A set of states of one automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet(Vec<u64>);

impl StateSet {
    fn none(automaton: &Automaton) -> Self {
        Self(vec![0; automaton.len().div_ceil(64)])
    }

    fn insert(&mut self, state: usize) {
        self.0[state / 64] |= 1 << (state % 64);
    }

    #[expect(clippy::cast_possible_truncation, reason = "automata are small")]
    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            (0..64u32).filter(move |b| word >> b & 1 == 1).map(move |b| i as u32 * 64 + b)
        })
    }

    /// Whether the two sets have a state in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether no state is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }
}

#[derive(Clone, Debug, Default)]
struct State {
    steps: Vec<(Kind, usize)>,
    empty: Vec<usize>,
}

/// Thompson's construction; `:=` rules are put in where they are named.
struct Builder<'a> {
    hidden: &'a BTreeMap<String, Expression>,
    kinds: &'a mut Kinds,
    states: Vec<State>,
    inside: Vec<String>,
}

impl Builder<'_> {
    fn state(&mut self) -> usize {
        self.states.push(State::default());
        self.states.len() - 1
    }

    fn add(&mut self, expression: &Expression, from: usize, to: usize) -> Result<(), String> {
        match expression {
            Expression::Literal(text) => {
                let kind = self.kinds.intern(text, false);
                self.states[from].steps.push((kind, to));
            }
            Expression::Name(name) => match self.hidden.get(name) {
                Some(_) if self.inside.contains(name) => {
                    return Err(format!("`{name}` contains itself"));
                }
                Some(body) => {
                    self.inside.push(name.clone());
                    self.add(body, from, to)?;
                    self.inside.pop();
                }
                None => {
                    let kind = self.kinds.intern(name, true);
                    self.states[from].steps.push((kind, to));
                }
            },
            Expression::Sequence(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state();
                    self.add(part, at, next)?;
                    at = next;
                }
                self.states[at].empty.push(to);
            }
            Expression::Choice(parts) => {
                for part in parts {
                    self.add(part, from, to)?;
                }
            }
            Expression::Repeat(inner, at_least_once, many) => {
                let (first, last) = (self.state(), self.state());
                self.states[from].empty.push(first);
                self.add(inner, first, last)?;
                self.states[last].empty.push(to);
                if *many {
                    self.states[last].empty.push(first);
                }
                if !at_least_once {
                    self.states[first].empty.push(to);
                }
            }
        }
        Ok(())
    }

    /// Takes the empty steps out and drops states that nothing leads to.
    fn finish(self, end: usize) -> Automaton {
        let closures: Vec<Vec<usize>> = (0..self.states.len()).map(|s| self.closure(s)).collect();
        let mut number = HashMap::from([(0usize, 0u32)]);
        let mut order = vec![0usize];
        let mut next: Vec<BTreeMap<Kind, Vec<u32>>> = Vec::new();
        let mut accepting = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let closure = &closures[order[at]];
            let mut steps: BTreeMap<Kind, Vec<u32>> = BTreeMap::new();
            for &(kind, target) in closure.iter().flat_map(|&s| &self.states[s].steps) {
                let id = *number.entry(target).or_insert_with(|| {
                    order.push(target);
                    u32::try_from(order.len() - 1).expect("automata are small")
                });
                let targets = steps.entry(kind).or_default();
                if !targets.contains(&id) {
                    targets.push(id);
                }
            }
            next.push(steps);
            accepting.push(closure.contains(&end));
            at += 1;
        }
        let mut before = vec![BTreeMap::<Kind, Vec<u32>>::new(); next.len()];
        for (from, (kind, targets)) in
            (0u32..).zip(&next).flat_map(|(from, steps)| steps.iter().map(move |s| (from, s)))
        {
            for &target in targets {
                before[target as usize].entry(*kind).or_default().push(from);
            }
        }
        let sorted = |all: Vec<BTreeMap<Kind, Vec<u32>>>| {
            all.into_iter().map(|steps| steps.into_iter().collect()).collect()
        };
        Automaton { next: sorted(next), before: sorted(before), accepting }
    }

    fn closure(&self, state: usize) -> Vec<usize> {
        let mut found = vec![state];
        let mut at = 0;
        while at < found.len() {
            for &next in &self.states[found[at]].empty {
                if !found.contains(&next) {
                    found.push(next);
                }
            }
            at += 1;
        }
        found
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
        let (open, name, comma, close) = (("(", false), ("name", true), (",", false), (")", false));
        assert!(accepts(&[open, close]));
        assert!(accepts(&[open, name, close]));
        assert!(accepts(&[open, name, comma, ("call", true), close]));
        assert!(!accepts(&[open, name, comma, close]));
        assert!(!accepts(&[open, name, name, close]));
        assert!(!accepts(&[open, name]));
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = Facts::parse("a = b\nc = (d", &mut Kinds::default()).unwrap_err();
        assert_eq!(error.to_string(), "grammar facts, line 2: a `(` without its `)`");
        assert!(Facts::parse("a = _x\n_x := _x b", &mut Kinds::default()).is_err());
    }
}
