//! The tree of the states that a decider may come to, by the answers on the way.
//!
//! A state that was built stays until the decider takes another way. So looking ahead costs one
//! candidate for each state, however many tests are reported in between, and the state that the
//! decider does come to need not be built again. Must not know jobs.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use minirepro_search::Outcome;

use crate::schedule::answer_memory::{AnswerMemory, Key};
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Question};
use crate::schedule::elsewhere::EditMemory;
use crate::schedule::odds::{Odds, Turn};

/// A state that the decider may come to.
pub(crate) struct FutureState<D> {
    /// The decider on its way to the next question, or there.
    pub decider: D,
    /// The events since the question before.
    pub events: Vec<DeciderEvent>,
    /// The question at which the decider has arrived.
    pub question: Option<Question>,
    /// The answers before the question.
    turn: Turn,
    /// Whether the decider has nothing left to ask here.
    ends: bool,
    next: Next,
}

/// The numbers of the states after the answers to a question.
#[derive(Clone, Copy, Default)]
struct Next {
    failed: Option<usize>,
    /// The state after a refusal, and which refusal it is.
    refused: Option<(Outcome, usize)>,
}

impl Next {
    fn after(self, outcome: Outcome) -> Option<usize> {
        match outcome {
            Outcome::Fail => self.failed,
            _ => self.refused.filter(|(refusal, _)| *refusal == outcome).map(|(_, at)| at),
        }
    }

    /// Returns the states that may follow, given the answer if it is known. One refusal leads to
    /// about the same questions as another.
    fn possible(self, known: Option<Outcome>) -> Vec<usize> {
        let failed = self.failed.filter(|_| known.is_none_or(|known| known == Outcome::Fail));
        let refused = self.refused.filter(|_| known != Some(Outcome::Fail));
        failed.into_iter().chain(refused.map(|(_, at)| at)).collect()
    }
}

/// The tree. Its root is the question that the decider itself waits at.
pub(crate) struct Lookahead<D> {
    states: HashMap<usize, FutureState<D>>,
    /// How many were built so far.
    built: usize,
    root: Next,
}

impl<D> Default for Lookahead<D> {
    fn default() -> Self {
        Self { states: HashMap::new(), built: 0, root: Next::default() }
    }
}

/// How the next answers are guessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess<'a> {
    /// How probable it is that a candidate fails.
    pub odds: &'a Odds,
    /// How the same edits fared on other texts.
    pub edits: &'a EditMemory,
    /// The answer to a candidate that does not fail.
    pub refusal: Outcome,
    /// Whether idle workers wait for questions: then even unlikely states are worth some work.
    pub eager: bool,
}

/// Where the decider itself waits.
pub(crate) struct Root<'a, D> {
    pub decider: &'a D,
    pub question: &'a Question,
    /// The answers before it.
    pub turn: Turn,
}

/// The result of [`Lookahead::grow`].
pub(crate) enum Growth {
    /// A state with a question whose answer is wanted.
    Asks(usize),
    /// A step towards a question was made.
    Stepped,
}

impl<D: Decider> Lookahead<D> {
    /// Returns the state with this number, which [`grow`](Self::grow) found.
    pub(crate) fn state(&self, at: usize) -> &FutureState<D> {
        &self.states[&at]
    }

    /// Returns the questions that may come after this one, as far as they were built. Linear in the
    /// states.
    pub(crate) fn possible(&self, question: &Question, memory: &AnswerMemory) -> Vec<&Question> {
        let mut open = self.root.possible(memory.get(question.key));
        let mut questions = Vec::new();
        while let Some(at) = open.pop() {
            let state = &self.states[&at];
            if let Some(question) = &state.question {
                questions.push(question);
                open.extend(state.next.possible(memory.get(question.key)));
            }
        }
        questions
    }

    /// Returns whether another refusal than this one was guessed. What follows from it can no
    /// longer be found, but most of it will be asked.
    pub(crate) fn guessed_otherwise(&self, outcome: Outcome) -> bool {
        let guessed = self.root.refused.filter(|_| outcome != Outcome::Fail);
        guessed.is_some_and(|(refusal, _)| refusal != outcome)
    }

    /// Takes the state that the decider comes to with this answer, if it was built. The states
    /// after it stay; all others are forgotten. Linear in the number of states.
    pub(crate) fn take(&mut self, outcome: Outcome) -> Option<FutureState<D>> {
        let state = self.root.after(outcome).and_then(|at| self.states.remove(&at));
        self.root = state.as_ref().map(|state| state.next).unwrap_or_default();
        let mut open = self.root.possible(None);
        let mut reached = HashSet::new();
        while let Some(at) = open.pop() {
            reached.insert(at);
            open.extend(self.states[&at].next.possible(None));
        }
        self.states.retain(|at, _| reached.contains(at));
        state
    }

    /// Goes to the most probable state that is `wanted` or not built yet, and makes a step there.
    /// Returns `None` if it is not among the `most` most probable states without an answer.
    pub(crate) fn grow(
        &mut self,
        root: &Root<'_, D>,
        memory: &AnswerMemory,
        guess: Guess<'_>,
        most: usize,
        wanted: impl Fn(Key) -> bool,
    ) -> Option<Growth> {
        let mut frontier = Frontier::new(memory, guess);
        frontier.follow(None, self.root, root.question, root.turn, 1.0);
        let mut untold = 0;
        while untold < most {
            let (chance, at) = frontier.pop()?;
            let at = match at {
                At::State(at) => at,
                At::Unbuilt(before, outcome) => {
                    self.build(root, before, outcome);
                    return Some(Growth::Stepped);
                }
            };
            let state = self.states.get_mut(&at)?;
            match &state.question {
                None if state.is_worth_a_step(chance, guess) => {
                    state.step();
                    return Some(Growth::Stepped);
                }
                None => {}
                Some(question) => {
                    if memory.get(question.key).is_none() {
                        if wanted(question.key) {
                            return Some(Growth::Asks(at));
                        }
                        untold += 1;
                    }
                    frontier.follow(Some(at), state.next, question, state.turn, chance);
                }
            }
        }
        None
    }

    /// Builds the state after an answer.
    fn build(&mut self, root: &Root<'_, D>, before: Option<usize>, outcome: Outcome) {
        let (mut decider, turn, question) = match before {
            None => (root.decider.clone(), root.turn, Some(root.question)),
            Some(at) => {
                let state = &self.states[&at];
                (state.decider.clone(), state.turn, state.question.as_ref())
            }
        };
        let turn =
            question.map_or(turn, |question| turn.of(question.pass).told(outcome == Outcome::Fail));
        let mut events = Vec::new();
        decider.tell(outcome, &mut events);
        let next = Next::default();
        let state = FutureState { decider, events, question: None, turn, ends: false, next };
        self.states.insert(self.built, state);
        let before = before.and_then(|at| self.states.get_mut(&at));
        let next = before.map_or(&mut self.root, |state| &mut state.next);
        match outcome {
            Outcome::Fail => next.failed = Some(self.built),
            _ => next.refused = Some((outcome, self.built)),
        }
        self.built += 1;
    }
}

impl<D: Decider> FutureState<D> {
    fn is_worth_a_step(&self, probability: f64, guess: Guess<'_>) -> bool {
        let most = if guess.eager || probability >= 0.5 { MOST_READ } else { CHEAPLY_READ };
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

/// The edge of the part of the tree that was visited.
struct Frontier<'a> {
    memory: &'a AnswerMemory,
    guess: Guess<'a>,
    found: Vec<(f64, At)>,
    /// The places by how probable it is that the decider comes there, 0 … 1, then those found
    /// first.
    open: BinaryHeap<(u64, Reverse<usize>)>,
}

/// A state, or one that is still to be built from another.
#[derive(Clone, Copy)]
enum At {
    State(usize),
    Unbuilt(Option<usize>, Outcome),
}

impl<'a> Frontier<'a> {
    fn new(memory: &'a AnswerMemory, guess: Guess<'a>) -> Self {
        Self { memory, guess, found: Vec::new(), open: BinaryHeap::new() }
    }

    /// Returns the most probable place with its chance.
    fn pop(&mut self) -> Option<(f64, At)> {
        self.open.pop().map(|(_, Reverse(number))| self.found[number])
    }

    /// Adds what may come after the question of the state `at` (the root if `None`).
    fn follow(
        &mut self,
        at: Option<usize>,
        next: Next,
        question: &Question,
        turn: Turn,
        chance: f64,
    ) {
        let Guess { odds, edits, refusal, .. } = self.guess;
        let elsewhere = edits.of(&question.edits);
        let success = odds.failure(turn.of(question.pass), question.traits, elsewhere);
        match self.memory.get(question.key) {
            Some(outcome) => self.add(at, next, outcome, chance),
            None => {
                self.add(at, next, refusal, chance * (1.0 - success));
                self.add(at, next, Outcome::Fail, chance * success);
            }
        }
    }

    fn add(&mut self, at: Option<usize>, next: Next, outcome: Outcome, chance: f64) {
        let at = next.after(outcome).map_or(At::Unbuilt(at, outcome), At::State);
        // The bits of numbers that are not negative are in their order.
        self.open.push((chance.to_bits(), Reverse(self.found.len())));
        self.found.push((chance, at));
    }
}
