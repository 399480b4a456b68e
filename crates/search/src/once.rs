//! Asks for each circumstance exactly once, in order.

use crate::{Configuration, Outcome, Search};

/// One question per circumstance: what works goes, what does not stays, nothing is tried again.
///
/// For alternatives that contradict each other (several texts for one place), where groups make no
/// sense, and for callers who sweep at the end. Exactly n questions; 1-minimal only if no removal
/// makes an earlier circumstance removable.
#[derive(Clone)]
pub struct Once {
    kept: Configuration,
    /// The circumstance that is asked about.
    at: usize,
}

impl Once {
    /// Searches `0..circumstances`.
    pub fn new(circumstances: usize) -> Self {
        Self { kept: Configuration::all(circumstances), at: 0 }
    }
}

impl Search for Once {
    fn ask(&self) -> Option<Configuration> {
        (self.at < self.kept.universe()).then(|| self.kept.without([self.at]))
    }

    fn tell(&mut self, outcome: Outcome) {
        if outcome == Outcome::Fail {
            self.kept.remove(self.at);
        }
        self.at += 1;
    }

    fn kept(&self) -> &Configuration {
        &self.kept
    }
}
