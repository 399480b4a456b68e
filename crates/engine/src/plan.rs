//! What a session is asked to do: plain data.

use std::sync::Arc;
use std::time::Duration;

use minirepro_syntax::Language;

use crate::{Algorithm, Scope};

/// Everything that decides a session, apart from the oracle's answers.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The language of the input.
    pub language: Arc<Language>,
    /// The bytes to reduce; known to fail.
    pub input: Arc<[u8]>,
    /// Which passes to run, and the search over their lists of edits.
    pub algorithm: Algorithm,
    /// How many tests may run at the same time. Never changes the result or what is told.
    pub jobs: usize,
    /// Which edits to try.
    pub scope: Scope,
    /// When to stop early.
    pub budget: Budget,
}

/// Limits of a session; each of them ends it with the best result so far.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Questions told by running the oracle.
    pub max_tests: Option<u64>,
    /// Time since the first poll.
    pub max_time: Option<Duration>,
    /// Enough once the result has at most so many tokens.
    pub stop_at_tokens: Option<u64>,
    /// Enough once the result has at most so many bytes.
    pub stop_at_bytes: Option<u64>,
}

impl Budget {
    /// Why a session ends now that it has run so many tests and lasted so long, if it does.
    pub(crate) fn is_spent(&self, tests: u64, time: Duration) -> Option<&'static str> {
        if self.max_tests.is_some_and(|max| tests >= max) {
            return Some("all tests that it may run were run (--max-tests)");
        }
        self.max_time.is_some_and(|max| time >= max).then_some("the time is up (--max-time)")
    }

    /// Why a result of this size ends a session, if it does.
    pub(crate) fn is_small_enough(&self, tokens: u64, bytes: u64) -> Option<&'static str> {
        let enough = self.stop_at_tokens.is_some_and(|enough| tokens <= enough)
            || self.stop_at_bytes.is_some_and(|enough| bytes <= enough);
        enough.then_some("the result is small enough (--stop-at)")
    }
}
