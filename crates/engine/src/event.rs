//! The events of a session, as plain data: everything that is shown or written is a fold over them.

use std::sync::Arc;

use minirepro_search::Outcome;

/// Where the answer to a question came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerSource {
    /// The oracle ran.
    Tested,
    /// The same candidate was tested before.
    Cached,
    /// The grammar cannot form it: Unresolved without a test.
    Infeasible,
    /// It would not be smaller in the order of acceptance: not worth a test.
    NotSmaller,
}

/// Something that happened in a session.
#[derive(Clone, Debug)]
pub enum Event {
    /// A pass or a level begins.
    Pass {
        /// The pass, or the level's kind of circumstances.
        name: &'static str,
        /// How many edits or circumstances there are.
        edits: usize,
    },
    /// The session goes on from a candidate that is not a new best result, until something better
    /// comes of it or it is [rolled back](Self::RolledBack).
    Adopted {
        /// The pass that made the candidate.
        pass: &'static str,
    },
    /// Nothing better has come of the candidate that was adopted last.
    RolledBack,
    /// A question was answered.
    Answered {
        /// The pass or level that asked.
        pass: &'static str,
        /// The answer.
        outcome: Outcome,
        /// Where it came from.
        how: AnswerSource,
    },
    /// The estimate of how many tests are still to come has changed.
    Expected {
        /// Tests that will decide something.
        tests: u64,
    },
    /// There is a new best result.
    Reduced {
        /// Its tokens, as the language counts them.
        tokens: u64,
        /// Its text.
        text: Arc<[u8]>,
        /// Questions that were answered by running the oracle so far.
        tests: u64,
    },
    /// An isolation has moved one of its ends.
    Narrowed {
        /// Circumstances that are still in question.
        left: usize,
        /// The candidate that passes.
        passing: Arc<[u8]>,
        /// The candidate that fails.
        failing: Arc<[u8]>,
    },
    /// The session is over; see [`Summary`](crate::Summary).
    Done,
}
