//! The limits at which a session ends early.

use std::time::Duration;

use crate::StopReason;

/// Limits of a session; each of them ends it with the best result so far.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Answers that come from tests of this session.
    pub max_tests: Option<u64>,
    /// The same as long as hardly anything has gone (reductions only).
    pub max_in_vain: Option<u64>,
    /// Time since the first poll.
    pub max_time: Option<Duration>,
    /// The session ends once the result has at most this many tokens (reductions only).
    pub stop_at_tokens: Option<u64>,
    /// The session ends once the result has at most this many bytes (reductions only).
    pub stop_at_bytes: Option<u64>,
}

impl Budget {
    /// Returns which limit a session has reached that has run `tests` tests and lasted `time`.
    pub(crate) fn exhausted(&self, tests: u64, time: Duration) -> Option<StopReason> {
        if self.max_tests.is_some_and(|max| tests >= max) {
            return Some(StopReason::TestBudget);
        }
        self.max_time.is_some_and(|max| time >= max).then_some(StopReason::TimeBudget)
    }

    /// Returns [`StopReason::SmallEnough`] if a result of this size is as small as was asked for.
    pub(crate) fn small_enough(&self, tokens: u64, bytes: u64) -> Option<StopReason> {
        let enough = self.stop_at_tokens.is_some_and(|enough| tokens <= enough)
            || self.stop_at_bytes.is_some_and(|enough| bytes <= enough);
        enough.then_some(StopReason::SmallEnough)
    }
}
