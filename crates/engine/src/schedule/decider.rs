//! The interface between the scheduler and the machines that decide what to ask.

use std::sync::Arc;

use minirepro_search::Outcome;
use minirepro_syntax::Rendered;

use crate::schedule::answer_memory::Key;
use crate::{AnswerSource, Certificate, Consultation, Event, Said, StopReason};

/// A deterministic machine from answers to questions.
///
/// Its questions and results must depend on its own state and the answers only, so that a clone can
/// be told a guess and shows what would be asked next. Cloning must be cheap. A decider must not
/// know jobs, memory of answers, time, or budget.
pub trait Decider: Clone {
    /// Does one thing on the way to the next question. Adds the events on the way to `events`.
    ///
    /// While a question or a consultation waits for its answer, it is returned again.
    fn advance(&mut self, events: &mut Vec<DeciderEvent>) -> Advance;

    /// Takes the answer to the question that [`advance`](Self::advance) returned last.
    fn tell(&mut self, outcome: Outcome, events: &mut Vec<DeciderEvent>);

    /// Takes what a proposer has said to the consultation that [`advance`](Self::advance) returned
    /// last.
    fn hear(&mut self, _said: Said) {}

    /// Returns how many bytes the next [`advance`](Self::advance) reads apart from those of a
    /// candidate. Steps that are too expensive are not made for a guess.
    fn bytes_to_read(&self) -> usize {
        0
    }

    /// Returns whether nothing is left but to try every single edit once more; `None` if that does
    /// not tell how many tests are still to come.
    fn sweeps(&self) -> Option<bool> {
        None
    }
}

/// The result of one step of a decider.
#[derive(Clone, Debug)]
pub enum Advance {
    /// There is a question for the oracle.
    Asks(Question),
    /// There is a question for a proposer.
    Consults(Arc<Consultation>),
    /// Something was done, or answered without the oracle.
    Moved,
    /// Nothing is left to ask.
    Done(Option<Certificate>),
}

/// A question for the oracle.
#[derive(Clone, Debug)]
pub struct Question {
    /// The pass or level that asks.
    pub pass: &'static str,
    /// The candidate.
    pub candidate: Arc<[u8]>,
    /// Which answers to other questions are answers to this one.
    pub key: Key,
}

/// Something that a decider did.
#[derive(Clone, Debug)]
pub enum DeciderEvent {
    /// Something that changes no figures.
    Other(Event),
    /// A level begins.
    Level { name: &'static str, circumstances: usize },
    /// A question was answered because its candidate is infeasible, or not smaller.
    Untested { pass: &'static str, outcome: Outcome, how: AnswerSource },
    /// A candidate is the new best result (after [`Decider::tell`]).
    Accepted { pass: &'static str, candidate: Arc<Rendered> },
    /// An end has moved (after [`Decider::tell`]).
    Narrowed { left: usize, passing: Arc<[u8]>, failing: Arc<[u8]> },
    /// The level is done, and its result is minimal or not.
    LevelDone { minimal: bool },
    /// The session must end now.
    Stop(StopReason),
}
