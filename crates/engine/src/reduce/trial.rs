//! A text that is tried out although it is larger, and the state to restore if nothing smaller
//! comes of it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::reduce::current::Current;
use crate::reduce::phase::Phase;

/// The state of the reducer before a larger text was adopted.
#[derive(Clone)]
pub(crate) struct Trial {
    /// The best result, which must be beaten.
    pub before: Arc<Current>,
    /// The items that had been refused.
    pub refused: Arc<HashSet<u64>>,
    /// Where in the order of passes the reducer was.
    pub phase: Phase,
    /// The number of answers within which something smaller must be found.
    pub answers_left: u32,
}

impl Trial {
    /// Counts an answer of the oracle or the memory.
    pub(crate) fn count(&mut self) {
        self.answers_left = self.answers_left.saturating_sub(1);
    }

    /// Returns whether the trial has had all its answers.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.answers_left == 0
    }
}
