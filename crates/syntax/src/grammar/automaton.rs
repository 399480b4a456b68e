//! Automata over the kinds of children, built from the expressions of grammar facts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fixedbitset::FixedBitSet;

use crate::grammar::expression::Expression;
use crate::{Kind, Kinds};

/// A non-deterministic automaton without empty steps over the kinds of children.
#[derive(Clone, Debug)]
pub struct Automaton {
    next: Vec<Steps>,
    before: Vec<Steps>,
    accepting: StateSet,
    /// Whether it accepts each sequence of the kinds that it knows.
    takes_any: bool,
}

/// A set of states of one automaton.
pub type StateSet = FixedBitSet;

/// The steps of one state.
type Steps = BTreeMap<Kind, Vec<u32>>;

fn lookup(steps: &Steps, kind: Kind) -> &[u32] {
    steps.get(&kind).map_or(&[], Vec::as_slice)
}

impl Automaton {
    /// Accepts also one child of this kind and no other.
    pub(crate) fn allow_alone(&mut self, child: Kind) {
        let Self { next, before, accepting, takes_any } = self;
        *takes_any = false;
        let end = next.len();
        next.push(Steps::new());
        next[0].entry(child).or_default().push(u32::try_from(end).expect("automata are small"));
        before.push(Steps::from([(child, vec![0])]));
        accepting.grow_and_insert(end);
    }

    /// Returns the states that `kind` leads to from `state`; state 0 is the start.
    pub fn next(&self, state: u32, kind: Kind) -> &[u32] {
        lookup(&self.next[state as usize], kind)
    }

    /// Returns whether the sequence may end in `state`.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting.contains(state as usize)
    }

    fn set(&self, states: impl IntoIterator<Item = usize>) -> StateSet {
        let mut set = FixedBitSet::with_capacity(self.next.len());
        set.extend(states);
        set
    }

    /// Returns where `kind` leads from any state of `set`.
    pub fn step(&self, set: &StateSet, kind: Kind) -> StateSet {
        self.led(&self.next, set, kind)
    }

    fn led(&self, steps: &[Steps], set: &StateSet, kind: Kind) -> StateSet {
        let states = set.ones().flat_map(|state| lookup(&steps[state], kind));
        self.set(states.map(|&state| state as usize))
    }

    /// Returns the states to which any number of the first children leads, and those from which the
    /// others lead to an end. Linear in the children times the states.
    pub fn around(&self, children: &[Kind]) -> (Vec<StateSet>, Vec<StateSet>) {
        let (mut before, mut behind) = (vec![self.set([0])], vec![self.accepting.clone()]);
        for &kind in children {
            before.push(self.step(&before[before.len() - 1], kind));
        }
        for &kind in children.iter().rev() {
            behind.push(self.led(&self.before, &behind[behind.len() - 1], kind));
        }
        behind.reverse();
        (before, behind)
    }

    /// Returns whether each sequence of the kinds that it knows is accepted, as in a text of words.
    pub fn takes_any(&self) -> bool {
        self.takes_any
    }

    /// Returns whether a child of this kind may come first.
    pub fn knows(&self, kind: Kind) -> bool {
        self.next[0].contains_key(&kind)
    }

    /// Returns whether a child of this kind may stand anywhere.
    pub fn has(&self, kind: Kind) -> bool {
        self.next.iter().any(|steps| steps.contains_key(&kind))
    }

    /// Returns whether a whole sequence of children is accepted. Linear in its length times the
    /// states.
    pub fn accepts(&self, children: impl IntoIterator<Item = Kind>) -> bool {
        let ends = children.into_iter().fold(self.set([0]), |set, kind| self.step(&set, kind));
        !ends.is_disjoint(&self.accepting)
    }
}

#[derive(Clone, Debug, Default)]
struct State {
    steps: Vec<(Kind, usize)>,
    empty: Vec<usize>,
}

/// Rules that are put in where they are named.
pub(crate) struct Hidden {
    rules: BTreeMap<String, Expression>,
    /// Those that contain themselves.
    recursive: BTreeSet<String>,
}

impl Hidden {
    /// Finds out which rules contain themselves. Quadratic in the rules.
    pub(crate) fn new(rules: BTreeMap<String, Expression>) -> Self {
        let contains_itself = |rule: &String| {
            let mut seen = BTreeSet::new();
            let mut todo = vec![rule.as_str()];
            while let Some(body) = todo.pop() {
                let names = rules.get(body).into_iter().flat_map(Expression::names);
                todo.extend(names.filter(|&name| seen.insert(name)));
            }
            seen.contains(rule.as_str())
        };
        let recursive = rules.keys().filter(|rule| contains_itself(rule)).cloned().collect();
        Self { rules, recursive }
    }
}

/// Thompson's construction; `:=` rules are put in where they are named.
///
/// A rule that contains itself is put in once, and all places that name it share it: the automaton
/// forgets which of them it came from, so that it accepts more than the rule (Nederhof, "Practical
/// experiments with regular approximation of context-free languages", 2000). A parser refuses the
/// rest.
pub(crate) struct Builder<'a> {
    hidden: &'a Hidden,
    kinds: &'a mut Kinds,
    states: Vec<State>,
    /// Where the rules begin and end that contain themselves.
    shared: HashMap<String, (usize, usize)>,
    /// How many rules are being put in into each other.
    depth: usize,
    /// What was left out.
    excess: Option<&'static str>,
}

/// More states than this has no grammar that people write: rules that are put in twice where they
/// are named, level by level, double them each time.
const MOST_STATES: usize = 1 << 18;

/// More steps than this, after empty ones were taken out, are too many to keep.
const MOST_STEPS: usize = 1 << 22;

/// More rules than this are not put in into each other.
const MOST_DEPTH: usize = 512;

/// Kinds are numbers of 16 bits; some are needed for what no grammar has.
pub(crate) const MOST_KINDS: usize = 60_000;

impl<'a> Builder<'a> {
    /// Builds an automaton whose first state is number 0 and whose last state is returned.
    pub(crate) fn new(hidden: &'a Hidden, kinds: &'a mut Kinds) -> (Self, usize) {
        let states = vec![State::default(), State::default()];
        (Self { hidden, kinds, states, shared: HashMap::new(), depth: 0, excess: None }, 1)
    }

    fn state(&mut self) -> usize {
        self.states.push(State::default());
        self.states.len() - 1
    }

    /// Lets an expression lead from one state to another.
    pub(crate) fn add(&mut self, expression: &Expression, from: usize, to: usize) {
        if self.states.len() > MOST_STATES {
            self.excess = Some("states");
        } else if self.kinds.count() > MOST_KINDS {
            self.excess = Some("kinds");
        } else if self.depth > MOST_DEPTH {
            self.excess = Some("rules within each other");
        }
        if self.excess.is_some() {
            return;
        }
        match expression {
            Expression::Literal(text) => {
                let kind = self.kinds.intern(text, false);
                self.states[from].steps.push((kind, to));
            }
            Expression::Name(name) => match self.hidden.rules.get(name) {
                Some(body) if self.hidden.recursive.contains(name) => {
                    let (first, last) = self.shared(name, body);
                    self.states[from].empty.push(first);
                    self.states[last].empty.push(to);
                }
                Some(body) => self.put_in(body, from, to),
                None => {
                    let kind = self.kinds.intern(name, true);
                    self.states[from].steps.push((kind, to));
                }
            },
            Expression::Sequence(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state();
                    self.add(part, at, next);
                    at = next;
                }
                self.states[at].empty.push(to);
            }
            Expression::Choice(parts) => {
                for part in parts {
                    self.add(part, from, to);
                }
            }
            Expression::Repeat(inner, at_least_once, many) => {
                let first = self.state();
                let last = self.state();
                self.states[from].empty.push(first);
                self.add(inner, first, last);
                self.states[last].empty.push(to);
                if *many {
                    self.states[last].empty.push(first);
                }
                if !at_least_once {
                    self.states[first].empty.push(to);
                }
            }
        }
    }

    fn put_in(&mut self, body: &Expression, from: usize, to: usize) {
        self.depth += 1;
        self.add(body, from, to);
        self.depth -= 1;
    }

    /// Returns where a rule begins and ends that contains itself; it is put in on first use.
    fn shared(&mut self, name: &str, body: &Expression) -> (usize, usize) {
        if let Some(&known) = self.shared.get(name) {
            return known;
        }
        let (first, last) = (self.state(), self.state());
        self.shared.insert(name.to_owned(), (first, last));
        self.put_in(body, first, last);
        (first, last)
    }

    /// Takes the empty steps out and drops states that nothing leads to.
    ///
    /// # Errors
    /// If there is too much of something, which is named.
    pub(crate) fn finish(self, end: usize) -> Result<Automaton, &'static str> {
        if let Some(excess) = self.excess {
            return Err(excess);
        }
        let mut reached = 0;
        let mut closures: Vec<Vec<usize>> = Vec::new();
        for state in 0..self.states.len() {
            let closure = self.closure(state);
            reached += closure.iter().map(|&at| self.states[at].steps.len() + 1).sum::<usize>();
            if reached > MOST_STEPS {
                return Err("steps");
            }
            closures.push(closure);
        }
        let mut number = HashMap::from([(0usize, 0u32)]);
        let mut order = vec![0usize];
        let mut next: Vec<Steps> = Vec::new();
        let mut accepting = StateSet::new();
        while let Some(&state) = order.get(next.len()) {
            let closure = &closures[state];
            let mut steps = Steps::new();
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
            if closure.contains(&end) {
                accepting.grow_and_insert(next.len());
            }
            next.push(steps);
        }
        let mut before = vec![Steps::new(); next.len()];
        for (from, steps) in (0u32..).zip(&next) {
            for (kind, targets) in steps {
                for &target in targets {
                    before[target as usize].entry(*kind).or_default().push(from);
                }
            }
        }
        let takes_any = accepting.count_ones(..) == next.len()
            && next.iter().all(|steps| steps.keys().eq(next[0].keys()));
        Ok(Automaton { next, before, accepting, takes_any })
    }

    fn closure(&self, state: usize) -> Vec<usize> {
        let mut found = vec![state];
        let mut seen = HashSet::from([state]);
        let mut at = 0;
        while let Some(&state) = found.get(at) {
            found.extend(self.states[state].empty.iter().filter(|next| seen.insert(**next)));
            at += 1;
        }
        found
    }
}
