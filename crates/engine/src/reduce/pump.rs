//! The bookkeeping for a larger text that is tried out: the state to restore if nothing smaller comes of it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::reduce::current::Current;
use crate::reduce::phase::Phase;

/// A larger text under trial, and the state of the reducer before it.
#[derive(Clone)]
pub(crate) struct Pump {
    /// The best result, which must be beaten.
    pub before: Arc<Current>,
    /// The items that had been refused.
    pub refused: Arc<HashSet<u64>>,
    /// Where in the order of passes the reducer was.
    pub phase: Phase,
    answers_left: u32,
}

/// The number of answers within which something smaller than before must be found.
const ANSWERS: u32 = 60;

impl Pump {
    /// Returns the bookkeeping for a text that has just grown.
    pub(crate) fn new(before: Arc<Current>, refused: Arc<HashSet<u64>>, phase: Phase) -> Self {
        Self { before, refused, phase, answers_left: ANSWERS }
    }

    /// Counts an answer of the oracle or the memory.
    pub(crate) fn count(&mut self) {
        self.answers_left = self.answers_left.saturating_sub(1);
    }

    /// Returns whether the trial has had its number of answers.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.answers_left == 0
    }
}
