//! The limits at which a session ends early.

use std::time::Duration;

use crate::{StopReason, Summary};

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

/// Of a text of which less than 1/n has gone, all tests were in vain.
const HARDLY_ANYTHING: u64 = 256;

impl Budget {
    /// Returns which limit a session has reached that has lasted `time`.
    pub(crate) fn reached(&self, summary: &Summary, time: Duration) -> Option<StopReason> {
        let (before, tokens) = summary.tokens;
        let is_over = |max: Option<u64>| max.is_some_and(|max| summary.tests >= max);
        let is_small = |enough: Option<u64>, now| enough.is_some_and(|enough| now <= enough);
        let hardly_anything_gone = before.saturating_sub(tokens) * HARDLY_ANYTHING < before;
        let reasons = [
            (is_over(self.max_tests), StopReason::TestBudget),
            (self.max_time.is_some_and(|max| time >= max), StopReason::TimeBudget),
            (is_over(self.max_in_vain) && hardly_anything_gone, StopReason::InVain),
            (is_small(self.stop_at_tokens, tokens), StopReason::SmallEnough),
            (is_small(self.stop_at_bytes, summary.bytes.1), StopReason::SmallEnough),
        ];
        reasons.into_iter().find(|(is_reached, _)| *is_reached).map(|(_, why)| why)
    }
}
