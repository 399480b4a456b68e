//! Counter-based delta debugging: rounds with group sizes that are computed beforehand.

use std::sync::Arc;

use crate::machine::Machine;
use crate::published::probdd::SIGMA;
use crate::{Configuration, Outcome};

/// CDD (Zhang et al., ICSE 2025): ProbDD without its probabilities. Each round goes once over what
/// is left in groups of one size; the sizes (10, 6, 4, 2, 1) are those that ProbDD tends to.
///
/// O(n) questions. 1-minimal only for monotone oracles.
#[derive(Clone)]
pub struct Cdd {
    kept: Configuration,
    /// The circumstances that were kept when this round began.
    round: Arc<[usize]>,
    /// The group in question is `round[at..at + size]`.
    at: usize,
    size: usize,
    probability: f64,
    done: bool,
}

impl Cdd {
    /// Searches `0..circumstances`, with ProbDD's first probability of 0.1.
    pub fn new(circumstances: usize) -> Self {
        let kept = Configuration::all(circumstances);
        let round: Arc<[usize]> = kept.iter().collect();
        let done = round.is_empty();
        Self { kept, round, at: 0, size: best_size(SIGMA), probability: SIGMA, done }
    }

    fn group(&self) -> &[usize] {
        &self.round[self.at..self.round.len().min(self.at + self.size)]
    }
}

/// Returns the group size with the largest expected number of removals if each circumstance is
/// needed with this probability, between 0 and 1 but neither.
fn best_size(probability: f64) -> usize {
    let gain = |size: usize| size as f64 * (1.0 - probability).powf(size as f64);
    // At 0.1, sizes 9 and 10 are equal but for rounding; the authors take 10.
    (1..).find(|&size| gain(size + 1) < gain(size) - 1e-9).expect("the gain falls in the end")
}

impl Machine for Cdd {
    fn question(&self) -> Option<Configuration> {
        (!self.done).then(|| {
            let mut question = self.kept.clone();
            self.group().iter().for_each(|&c| question.remove(c));
            question
        })
    }

    fn answer(&mut self, outcome: Outcome) {
        if outcome == Outcome::Fail {
            self.kept = self.question().expect("told only what was asked");
        }
        self.at += self.size;
        if self.at < self.round.len() {
            return;
        }
        self.round = self.kept.iter().collect();
        self.at = 0;
        self.done = self.size == 1 || self.round.is_empty();
        if !self.done {
            let all_free = (1.0 - self.probability).powf(self.size as f64);
            self.probability /= 1.0 - all_free;
            self.size = best_size(self.probability);
        }
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}
