//! The futures of a walk: a tree of the states that it may come to, by the answers on the way.
//!
//! What was made of a state stays until the walk takes another way, so looking ahead costs one
//! candidate for each state that is reached, whoever many tests are reported in between, and the
//! state that the walk does come to need not be made again. Knows probabilities; must not know jobs.

use std::collections::BinaryHeap;

use minirepro_search::Outcome;

use crate::memory::{Key, Memory};
use crate::walk::{Advance, Note, Question, Walk};

/// A state that the walk may come to.
pub(crate) struct State {
    /// On its way to the next question, or there.
    pub walk: Walk,
    /// What happened since the question before.
    pub notes: Vec<Note>,
    /// Where the walk has arrived.
    pub question: Option<(Question, Key)>,
    /// How many candidates will have been accepted by then.
    pub accepted: u64,
    /// The walk is over here.
    ends: bool,
    next: Next,
}

/// The numbers of the states behind the answers to a question.
#[derive(Clone, Copy, Default)]
struct Next {
    failed: Option<usize>,
    /// Behind a refusal, and behind which one.
    refused: Option<(Outcome, usize)>,
}

impl Next {
    fn behind(self, outcome: Outcome) -> Option<usize> {
        match outcome {
            Outcome::Fail => self.failed,
            _ => self.refused.filter(|(refusal, _)| *refusal == outcome).map(|(_, at)| at),
        }
    }
}

/// The tree; its root is the question that the walk itself waits at.
#[derive(Default)]
pub(crate) struct Futures {
    states: Vec<State>,
    root: Next,
}

/// How the next answers are guessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    /// The probability that a candidate fails.
    pub success: f64,
    /// The answer to one that doesn't.
    pub refusal: Outcome,
    /// Whether idle workers wait for questions: then work is done that will rather be in vain.
    pub eager: bool,
}

/// What the walk itself waits for.
pub(crate) struct Root<'a> {
    pub walk: &'a Walk,
    pub key: Key,
    pub accepted: u64,
}

/// A place in the tree: a state, or one that is still to be made behind another.
struct Place {
    probability: f64,
    order: usize,
    at: At,
}

#[derive(Clone, Copy)]
enum At {
    State(usize),
    Behind(Option<usize>, Outcome),
}

/// What is to be done for the most probable state that has no answer yet.
pub(crate) enum Most {
    /// It has a question, whose answer is wanted.
    Asks(usize),
    /// A step was made on the way to a question.
    Made,
}

impl Futures {
    /// The state with this number, of those that [`grow`](Self::grow) found.
    pub(crate) fn state(&self, at: usize) -> &State {
        &self.states[at]
    }

    /// The walk got an answer: the state that it comes to, if it was reached. All others are
    /// forgotten.
    pub(crate) fn take(&mut self, outcome: Outcome) -> Option<State> {
        let at = self.root.behind(outcome);
        let mut old: Vec<Option<State>> =
            std::mem::take(&mut self.states).into_iter().map(Some).collect();
        self.root = Next::default();
        let state = old[at?].take()?;
        let mut open = Vec::new();
        self.root = self.adopt(state.next, &mut old, &mut open);
        while let Some(at) = open.pop() {
            self.states[at].next = self.adopt(self.states[at].next, &mut old, &mut open);
        }
        Some(state)
    }

    /// Takes states over from the tree that was.
    fn adopt(&mut self, next: Next, old: &mut [Option<State>], open: &mut Vec<usize>) -> Next {
        let mut moved = |at: usize| {
            self.states.push(old[at].take()?);
            open.push(self.states.len() - 1);
            open.last().copied()
        };
        Next {
            failed: next.failed.and_then(&mut moved),
            refused: next.refused.and_then(|(refusal, at)| Some((refusal, moved(at)?))),
        }
    }

    /// Goes to the most probable state that is `wanted` or not made yet, and does a step there; `None`
    /// when none of the `most` probable states is left.
    pub(crate) fn grow(
        &mut self,
        root: &Root<'_>,
        memory: &Memory,
        guess: Guess,
        most: usize,
        wanted: impl Fn(Key) -> bool,
    ) -> Option<Most> {
        let mut heap = BinaryHeap::new();
        let mut order = 0;
        self.follow(&mut heap, &mut order, None, root.key, 1.0, memory, guess);
        for _ in 0..most {
            let Place { probability, at, .. } = heap.pop()?;
            let at = match at {
                At::State(at) => at,
                At::Behind(before, outcome) => {
                    self.make(root, before, outcome);
                    return Some(Most::Made);
                }
            };
            match &self.states[at].question {
                None if self.states[at].is_worth_a_step(probability, guess) => {
                    self.states[at].step();
                    return Some(Most::Made);
                }
                None => {}
                Some((_, key)) => {
                    let key = *key;
                    if memory.get(key).is_none() && wanted(key) {
                        return Some(Most::Asks(at));
                    }
                    self.follow(&mut heap, &mut order, Some(at), key, probability, memory, guess);
                }
            }
        }
        None
    }

    /// The questions without an answer that come right behind the walk's own one, as far as they are
    /// made, the more probable first.
    pub(crate) fn next(&self, key: Key, memory: &Memory, guess: Guess) -> Vec<&Question> {
        let mut heap = BinaryHeap::new();
        let mut order = 0;
        self.follow(&mut heap, &mut order, None, key, 1.0, memory, guess);
        let mut questions = Vec::new();
        while let Some(Place { probability, at, .. }) = heap.pop() {
            let At::State(at) = at else { continue };
            match &self.states[at].question {
                // The walk's own question may come again; it has its answer by then.
                Some((question, next)) if memory.get(*next).is_none() && *next != key => {
                    questions.push(question);
                }
                Some((_, next)) => {
                    self.follow(&mut heap, &mut order, Some(at), *next, probability, memory, guess);
                }
                None => {}
            }
        }
        questions
    }

    /// Adds what may come behind a question.
    #[expect(clippy::too_many_arguments, reason = "one step of the loop above, needed twice")]
    fn follow(
        &self,
        heap: &mut BinaryHeap<Place>,
        order: &mut usize,
        at: Option<usize>,
        key: Key,
        probability: f64,
        memory: &Memory,
        Guess { success, refusal, .. }: Guess,
    ) {
        let next = at.map_or(self.root, |at| self.states[at].next);
        let mut add = |outcome, chance: f64| {
            *order += 1;
            let at = next.behind(outcome).map_or(At::Behind(at, outcome), At::State);
            heap.push(Place { probability: probability * chance, order: *order, at });
        };
        match memory.get(key) {
            Some(outcome) => add(outcome, 1.0),
            None => {
                add(refusal, 1.0 - success);
                add(Outcome::Fail, success);
            }
        }
    }

    /// Makes the state behind an answer.
    fn make(&mut self, root: &Root<'_>, before: Option<usize>, outcome: Outcome) {
        let (walk, accepted) = match before {
            None => (root.walk, root.accepted),
            Some(at) => (&self.states[at].walk, self.states[at].accepted),
        };
        let (mut walk, mut notes) = (walk.clone(), Vec::new());
        walk.tell(outcome, &mut notes);
        let accepted = accepted + u64::from(outcome == Outcome::Fail);
        let next = Next::default();
        self.states.push(State { walk, notes, question: None, accepted, ends: false, next });
        let made = self.states.len() - 1;
        let slot = match before {
            None => &mut self.root,
            Some(at) => &mut self.states[at].next,
        };
        match outcome {
            Outcome::Fail => slot.failed = Some(made),
            _ => slot.refused = Some((outcome, made)),
        }
    }
}

impl State {
    fn is_worth_a_step(&self, probability: f64, guess: Guess) -> bool {
        let most = if guess.eager || probability >= 0.5 { TOO_MUCH } else { CHEAP };
        !self.ends && self.walk.bytes_to_read() <= most
    }

    /// A little of the way to the next question.
    fn step(&mut self) {
        match self.walk.advance(&mut self.notes) {
            Advance::Moved => {}
            Advance::Done => self.ends = true,
            Advance::Asks(question) => {
                let key = Key::of(&question);
                self.question = Some((question, key));
            }
        }
    }
}

/// Bytes that are read again for any guess,
const CHEAP: usize = 64 << 10;
/// and for none: memory would have to hold several such trees.
const TOO_MUCH: usize = 1 << 20;

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Place {}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Place {
    /// Probable places are greater, then those found first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.probability.total_cmp(&other.probability).then(other.order.cmp(&self.order))
    }
}
