//! Removes one circumstance at a time.

use crate::adapters::sweep::Sweep;
use crate::machine::Machine;
use crate::{Configuration, Outcome};

/// Plain greedy deletion: each circumstance in turn, round and round until every one that is left
/// was refused on the same configuration.
///
/// 1-minimal for any oracle. n questions and k more at most for monotone oracles, (n² + n) / 2 for
/// others.
#[derive(Clone)]
pub struct Single(Sweep);

impl Single {
    /// Searches `0..circumstances`.
    pub fn new(circumstances: usize) -> Self {
        Self(Sweep::one_by_one(Configuration::all(circumstances)))
    }
}

impl Machine for Single {
    fn question(&self) -> Option<Configuration> {
        self.0.question()
    }

    fn answer(&mut self, outcome: Outcome) {
        self.0.answer(outcome);
    }

    fn best(&self) -> &Configuration {
        self.0.best()
    }
}
