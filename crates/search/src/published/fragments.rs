//! Leaves out fragments of one length after the other.

use std::sync::Arc;

use crate::{Configuration, Outcome, Search};

/// The fragment variant of the notebook in the seeds (`remove_check_each_fragment`): each fragment
/// of a given length is left out once and for all if that still fails, then the length is halved.
///
/// At most about 2n questions. 1-minimal only for monotone oracles.
#[derive(Clone)]
pub struct Fragments {
    kept: Configuration,
    /// The circumstances that were kept when this round began.
    round: Arc<[usize]>,
    /// The fragment in question is `round[at..at + length]`.
    at: usize,
    length: usize,
}

impl Fragments {
    /// Searches `0..circumstances`, at first in halves.
    pub fn new(circumstances: usize) -> Self {
        let kept = Configuration::all(circumstances);
        let round = kept.iter().collect();
        Self { kept, round, at: 0, length: circumstances / 2 }
    }
}

impl Search for Fragments {
    fn ask(&self) -> Option<Configuration> {
        (self.length > 0 && self.at < self.round.len()).then(|| {
            let fragment = self.round.iter().skip(self.at).take(self.length);
            self.kept.without(fragment.copied())
        })
    }

    fn tell(&mut self, outcome: Outcome) {
        if outcome == Outcome::Fail {
            self.kept = self.ask().expect("told only what was asked");
        }
        self.at += self.length;
        if self.at >= self.round.len() {
            self.round = self.kept.iter().collect();
            self.at = 0;
            self.length /= 2;
        }
    }

    fn kept(&self) -> &Configuration {
        &self.kept
    }
}
