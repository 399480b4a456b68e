//! The bookkeeping for a text that is tried out although it is not smaller: the state to restore if nothing
//! smaller comes of it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::reduce::current::Current;
use crate::reduce::phase::Phase;

/// A text under trial, and the state of the reducer before it.
#[derive(Clone)]
pub(crate) struct Pump {
    /// The text to go back to; the best result, which must be beaten.
    pub before: Arc<Current>,
    /// The items that had been refused.
    pub refused: Arc<HashSet<u64>>,
    /// Where in the order of passes the reducer was.
    pub phase: Phase,
    /// The number of answers within which something smaller than the best must be found.
    pub answers_left: u32,
}

impl Pump {
    /// Counts an answer of the oracle or the memory.
    pub(crate) fn count(&mut self) {
        self.answers_left = self.answers_left.saturating_sub(1);
    }

    /// Returns whether the trial has had its number of answers.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.answers_left == 0
    }
}
