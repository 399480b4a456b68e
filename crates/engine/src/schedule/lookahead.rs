//! The state that a decider is in, and the tree of those that it may come to, by the answers on the
//! way.
//!
//! A state that was built stays until the decider takes another way. So looking ahead costs one
//! candidate for each state, however many tests are reported in between, and the state that the
//! decider does come to need not be built again. Must not know jobs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::mem::take;

use minirepro_search::Outcome;

use crate::schedule::answer_memory::AnswerMemory;
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Question};
use crate::schedule::odds::{Last, Odds};

/// A state of the decider.
pub(crate) struct State<D> {
    /// The decider on its way to the next question, or there.
    pub decider: D,
    /// The events since the question before.
    pub events: Vec<DeciderEvent>,
    /// The question at which the decider has arrived.
    pub question: Option<Question>,
    /// The answer before.
    pub last: Last,
    /// Whether nothing that follows can be foreseen.
    ends: bool,
}

/// The tree.
pub(crate) struct Lookahead<D> {
    /// Where the decider is.
    pub now: State<D>,
    /// Where it may come, by the answers that lead there.
    ahead: BTreeMap<Vec<Outcome>, State<D>>,
}

/// How the next answers are guessed.
#[derive(Clone, Copy)]
pub(crate) struct Guess<'a> {
    pub memory: &'a AnswerMemory,
    /// How probable it is that a candidate fails.
    pub odds: &'a Odds,
    /// The answer to a candidate that does not fail.
    pub refusal: Outcome,
    /// Whether idle workers wait for questions: then even unlikely states are worth some work.
    pub eager: bool,
}

/// The result of [`Lookahead::grow`].
pub(crate) enum Growth {
    /// A question whose answer is wanted.
    Asks(Question),
    /// A step towards a question was made.
    Stepped,
}

impl<D: Decider> Lookahead<D> {
    pub(crate) fn new(decider: D) -> Self {
        let now = State { decider, events: Vec::new(), question: None, last: None, ends: false };
        Self { now, ahead: BTreeMap::new() }
    }

    fn at(&self, path: &[Outcome]) -> Option<&State<D>> {
        if path.is_empty() { Some(&self.now) } else { self.ahead.get(path) }
    }

    /// Returns the texts that may be asked about, as far as they were built: no answer that is
    /// known leads elsewhere. One refusal leads to about the same questions as another.
    pub(crate) fn possible(&self, memory: &AnswerMemory) -> impl Iterator<Item = u128> {
        let is_possible = |path: &[Outcome]| {
            (0..path.len()).all(|at| {
                let question = self.at(&path[..at]).and_then(|state| state.question.as_ref());
                let known = question.and_then(|question| memory.get(question.key));
                known.is_none_or(|known| (known == Outcome::Fail) == (path[at] == Outcome::Fail))
            })
        };
        let ahead = self.ahead.iter().filter(move |(path, _)| is_possible(path));
        let states = ahead.map(|(_, state)| state).chain([&self.now]);
        states.filter_map(|state| Some(state.question.as_ref()?.key.text))
    }

    /// Tells the decider the answer to its question. The states that can still follow stay; all
    /// others are forgotten. Returns whether another refusal than this one was guessed: what
    /// follows from it can no longer be found, but most of it will be asked. Linear in the states.
    pub(crate) fn tell(&mut self, outcome: Outcome) -> bool {
        let mut is_other_refusal = false;
        let mut next = None;
        for (mut path, state) in take(&mut self.ahead) {
            let first = path.remove(0);
            if first != outcome {
                is_other_refusal |= first != Outcome::Fail && outcome != Outcome::Fail;
            } else if path.is_empty() {
                next = Some(state);
            } else {
                self.ahead.insert(path, state);
            }
        }
        match next {
            Some(state) => self.now = state,
            None => self.now.tell(outcome),
        }
        is_other_refusal
    }

    /// Goes to the most probable state that is `wanted` or not built yet, and makes a step there.
    /// Returns `None` if it is not among the `most` most probable states without an answer.
    pub(crate) fn grow(
        &mut self,
        guess: Guess<'_>,
        most: usize,
        wanted: impl Fn(u128) -> bool,
    ) -> Option<Growth> {
        // The places by how probable it is that the decider comes there, then those found first.
        // The bits of numbers that are not negative are in their order.
        let mut open = BinaryHeap::from([(1_f64.to_bits(), Reverse(0), Vec::new())]);
        let mut found = 0;
        let mut untold = 0;
        self.now.question.as_ref()?;
        while let Some((chance, _, path)) = open.pop() {
            let chance = f64::from_bits(chance);
            let Some(state) = self.at(&path) else {
                let (last, before) = path.split_last()?;
                let state = self.at(before)?.after(*last);
                self.ahead.insert(path, state);
                return Some(Growth::Stepped);
            };
            let Some(question) = &state.question else {
                if state.is_worth_a_step(chance, guess) {
                    self.ahead.get_mut(&path)?.step();
                    return Some(Growth::Stepped);
                }
                continue;
            };
            let success = guess.odds.failure(state.last, question.pass);
            let known = guess.memory.get(question.key);
            if known.is_none() && !path.is_empty() {
                if wanted(question.key.text) {
                    return Some(Growth::Asks(question.clone()));
                }
                untold += 1;
                if untold == most {
                    return None;
                }
            }
            let answers = match known {
                Some(outcome) => vec![(outcome, 1.0)],
                None => vec![(guess.refusal, 1.0 - success), (Outcome::Fail, success)],
            };
            for (outcome, share) in answers {
                found += 1;
                let path = [&path[..], &[outcome]].concat();
                open.push(((chance * share).to_bits(), Reverse(found), path));
            }
        }
        None
    }
}

impl<D: Decider> State<D> {
    fn tell(&mut self, outcome: Outcome) {
        let question = self.question.take();
        self.last = question.map(|question| (question.pass, outcome == Outcome::Fail));
        self.decider.tell(outcome, &mut self.events);
    }

    /// Returns the state after an answer.
    fn after(&self, outcome: Outcome) -> Self {
        let (decider, question, last) = (self.decider.clone(), self.question.clone(), self.last);
        let mut next = Self { decider, events: Vec::new(), question, last, ends: false };
        next.tell(outcome);
        next
    }

    fn is_worth_a_step(&self, chance: f64, guess: Guess<'_>) -> bool {
        let most = if guess.eager || chance >= 0.5 { MOST_READ } else { CHEAPLY_READ };
        !self.ends && self.decider.bytes_to_read() <= most
    }

    /// Goes a little of the way to the next question.
    fn step(&mut self) {
        match self.decider.advance(&mut self.events) {
            Advance::Moved => {}
            // What a proposer says is not to be guessed.
            Advance::Done(_) | Advance::Consults(_) => self.ends = true,
            Advance::Asks(question) => self.question = Some(question),
        }
    }
}

/// Bytes that may be read for any guess.
const CHEAPLY_READ: usize = 64 << 10;

/// Bytes that may be read for a likely guess. With more, memory would have to hold several large
/// trees.
const MOST_READ: usize = 1 << 20;
