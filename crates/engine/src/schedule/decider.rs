//! The interface between the scheduler and the machines that decide what to ask.

use std::sync::Arc;

use minirepro_passes::RuleName;
use minirepro_search::Outcome;
use minirepro_syntax::Rendered;

use crate::schedule::answer_memory::Key;
use crate::{AnswerSource, Certificate, Consultation, Said, StopReason};

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

    /// Leaves out the rest of the pass that waits for an answer, and the question with it.
    fn skip(&mut self);

    /// Returns how many bytes the next [`advance`](Self::advance) reads apart from those of a
    /// candidate. Steps that are too expensive are not made for a guess.
    fn bytes_to_read(&self) -> usize {
        0
    }

    /// Estimates how many tests are still to come, if that is possible.
    fn tests_left(&self) -> Option<u64> {
        None
    }

    /// Returns the size of the best result so far, if results are measured.
    fn size(&self) -> Option<Size> {
        None
    }
}

/// The size of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Tokens, as the language counts them.
    pub tokens: u64,
    /// Bytes.
    pub bytes: u64,
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
    /// The rule that gives the candidate, if it is one alone.
    pub rule: Option<Arc<RuleName>>,
    /// Fingerprints of the edits that it is about: equal ones are the same edit, on whatever text.
    pub edits: Arc<[u64]>,
    /// Facts by which its answer is estimated.
    pub traits: Traits,
}

/// Facts about a candidate that are known before its test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// When it is asked about.
    pub period: Period,
    /// How many edits it applies that are not decided yet.
    pub edits: usize,
    /// How many edits were proposed together.
    pub of: usize,
    /// Tokens without these edits (0 if they are not counted).
    pub before: u64,
    /// Tokens of the candidate.
    pub after: u64,
}

/// The part of a search in which a question is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Period {
    /// Any search that has no rounds.
    #[default]
    Other,
    /// The first round.
    First,
    /// The second round.
    Second,
    /// A later round.
    Later,
    /// The sweep.
    Sweep,
    /// Pumps and proposals.
    Pumps,
}

/// Something that a decider did.
#[derive(Clone, Debug)]
pub enum DeciderEvent {
    /// A pass begins.
    Pass { name: &'static str, edits: usize },
    /// A level begins.
    Level { name: &'static str, circumstances: usize },
    /// A question was answered because its candidate is infeasible, or not smaller.
    Untested { pass: &'static str, how: AnswerSource },
    /// A candidate is the new best result (after [`Decider::tell`]).
    Accepted { pass: &'static str, candidate: Arc<Rendered> },
    /// The decider goes on from a candidate that is not a new best (after [`Decider::tell`]).
    Adopted { pass: &'static str },
    /// Nothing has come of the candidate that was adopted last.
    RolledBack,
    /// An end has moved (after [`Decider::tell`]).
    Narrowed { left: usize, passing: Arc<[u8]>, failing: Arc<[u8]> },
    /// The level is done, and its result is minimal or not.
    LevelDone { minimal: bool },
    /// The session must end now.
    Stop(StopReason),
}
