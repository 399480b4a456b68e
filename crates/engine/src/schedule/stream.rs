//! Questions that a decider will ask later, whatever the answers until then are: another line of decisions
//! over the same memory of answers.
//!
//! A stream only fills the memory. Whoever asks the same questions later finds their answers there, and
//! decides as if there had been no stream. Must not know jobs.

use minirepro_search::Outcome;

use crate::schedule::answer_memory::{AnswerMemory, Key};
use crate::schedule::decider::{Advance, Decider, Question};
use crate::schedule::lookahead::{Growth, Guess, Lookahead, Root};
use crate::schedule::odds::Turn;

/// A line of decisions beside the main one.
pub(crate) struct Stream<D> {
    decider: D,
    question: Option<Question>,
    lookahead: Lookahead<D>,
    turn: Turn,
    refusal: Outcome,
    over: bool,
}

impl<D: Decider> Stream<D> {
    /// Begins with a decider that has asked nothing yet.
    pub(crate) fn new(decider: D) -> Self {
        Self {
            decider,
            question: None,
            lookahead: Lookahead::default(),
            turn: Turn::default(),
            refusal: Outcome::Pass,
            over: false,
        }
    }

    /// Returns the most probable question that is `wanted` and has no answer, if it is among the `most` most
    /// probable ones. Goes on as far as the answers are known, unless it `is_interrupted`.
    pub(crate) fn wanted(
        &mut self,
        memory: &AnswerMemory,
        guess: Guess<'_>,
        most: usize,
        wanted: impl Fn(Key) -> bool,
        is_interrupted: impl Fn() -> bool,
    ) -> Option<Question> {
        while !is_interrupted() {
            self.settle(memory, &is_interrupted);
            let question = self.question.as_ref()?;
            if wanted(question.key) {
                return Some(question.clone());
            }
            let guess = Guess { refusal: self.refusal, ..guess };
            let root = Root { decider: &self.decider, question, turn: self.turn, moves: 0 };
            match self.lookahead.grow(&root, memory, guess, most, 0.0, &wanted)? {
                Growth::Stepped => {}
                Growth::Asks(at, _) => return self.lookahead.state(at).question.clone(),
            }
        }
        None
    }

    /// Goes on to the first question whose answer is not known.
    fn settle(&mut self, memory: &AnswerMemory, is_interrupted: impl Fn() -> bool) {
        while !self.over && !is_interrupted() {
            let Some(question) = &self.question else {
                match self.decider.advance(&mut Vec::new()) {
                    Advance::Asks(question) => self.question = Some(question),
                    Advance::Moved => {}
                    // What a proposer says is not to be guessed.
                    Advance::Done(_) | Advance::Consults(_) => self.over = true,
                }
                continue;
            };
            let Some(outcome) = memory.get(question.key) else { return };
            self.turn = self.turn.of(question.pass).told(outcome == Outcome::Fail);
            if outcome != Outcome::Fail {
                self.refusal = outcome;
            }
            match self.lookahead.take(outcome) {
                Some(state) => (self.decider, self.question) = (state.decider, state.question),
                None => {
                    self.decider.tell(outcome, &mut Vec::new());
                    self.question = None;
                }
            }
        }
    }
}
