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
