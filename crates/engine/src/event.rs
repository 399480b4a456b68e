//! What happened, as plain data: everything that is shown or written is a fold over events.

use std::sync::Arc;
use std::time::Duration;

use minirepro_search::Outcome;

/// How a question got its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answered {
    /// The oracle ran.
    Tested,
    /// The same candidate was tested before.
    Remembered,
    /// The grammar cannot form it: Unresolved without a test.
    Infeasible,
    /// It would not be smaller in the order of acceptance: not worth a test.
    NotSmaller,
}

/// Something that happened in a session.
#[derive(Clone, Debug)]
pub enum Event {
    /// A pass begins on the current best.
    Pass {
        /// The pass.
        name: &'static str,
        /// How many edits it proposes.
        edits: usize,
    },
    /// A question was answered.
    Told {
        /// The pass that asked.
        pass: &'static str,
        /// The answer.
        outcome: Outcome,
        /// Where it came from.
        how: Answered,
    },
    /// About how many tests are still to come, as of now.
    Expected {
        /// Tests that decide something.
        tests: u64,
    },
    /// There is a new best result.
    Reduced {
        /// Its tokens, as the language counts them.
        tokens: u64,
        /// Its text.
        text: Arc<[u8]>,
        /// Questions told by running the oracle so far.
        tests: u64,
    },
    /// An experiment has moved one of its ends.
    Narrowed {
        /// Circumstances that are still in question.
        left: usize,
        /// The candidate that passes.
        passing: Arc<[u8]>,
        /// The candidate that fails.
        failing: Arc<[u8]>,
    },
    /// The session is over; see [`Summary`].
    Done,
}

/// What one pass asked and won.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassStats {
    /// Questions told, in all ways.
    pub told: u64,
    /// Answers by running the oracle: Fail, Pass, Unresolved.
    pub tested: [u64; 3],
    /// Answered Unresolved because infeasible.
    pub infeasible: u64,
    /// Answered from memory.
    pub remembered: u64,
    /// Not smaller, so not asked.
    pub not_smaller: u64,
    /// Tokens won.
    pub tokens_won: u64,
    /// Bytes won (negative where tokens were bought with bytes).
    pub bytes_won: i64,
    /// Time between the pass's questions and their answers.
    pub time: Duration,
}

/// The figures of a whole session.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Tokens before and after.
    pub tokens: (u64, u64),
    /// Bytes before and after.
    pub bytes: (u64, u64),
    /// Tests told to the session.
    pub tests: u64,
    /// Tests started, those included that were only speculation.
    pub started: u64,
    /// Questions answered Unresolved because infeasible.
    pub infeasible: u64,
    /// Questions answered from memory.
    pub remembered: u64,
    /// What the certificate says: the edit kinds for which no single remaining edit still fails,
    /// and how many refused candidates show it; `None` when the session ended early.
    pub certificate: Option<Certificate>,
    /// Why the session ended early, if it did.
    pub stopped: Option<String>,
    /// Per pass, in order of first use.
    pub passes: Vec<(&'static str, PassStats)>,
}

/// The result is 1-minimal with respect to these edit kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The kinds of edits that were all refused on the final result, one for each pass.
    pub edit_kinds: Vec<EditKind>,
    /// How many single edits there were, each refused.
    pub refused: u64,
    /// Of these, how many were answered Unresolved by the oracle (not Pass).
    pub unresolved: u64,
}

/// One kind of edits that a certificate speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditKind {
    /// The pass that proposes them.
    pub name: &'static str,
    /// The edits in words.
    pub edits: &'static str,
    /// How many of them the final result has, including those that the grammar rules out.
    pub count: usize,
}
