//! A larger text that is tried out: what the walk goes back to if nothing smaller comes of it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::pass_run::Base;
use crate::walk::Phase;

/// What there was before the text grew.
#[derive(Clone)]
pub(crate) struct Transaction {
    before: Arc<Base>,
    refused: Arc<HashSet<u64>>,
    phase: Phase,
    left: u32,
}

impl Transaction {
    /// A transaction that ends well as soon as something smaller than `before` is found.
    pub(crate) fn new(before: Arc<Base>, refused: Arc<HashSet<u64>>, phase: Phase) -> Self {
        Self { before, refused, phase, left: QUESTIONS }
    }

    /// The best result, which must be beaten.
    pub(crate) fn before(&self) -> &Arc<Base> {
        &self.before
    }

    /// Counts a question that the oracle or the memory has answered.
    pub(crate) fn count(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Whether no more questions are worth it.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// What the walk goes on with: base, refused items, phase.
    pub(crate) fn into_parts(self) -> (Arc<Base>, Arc<HashSet<u64>>, Phase) {
        (self.before, self.refused, self.phase)
    }
}

/// So many answers must be enough to get smaller than before.
const QUESTIONS: u32 = 60;
