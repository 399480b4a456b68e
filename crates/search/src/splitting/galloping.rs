//! One pass over a list with group sizes that follow success and failure alone.

use crate::machine::Machine;
use crate::{Configuration, First, Outcome};

/// Tries groups in rising order; a group that can go doubles the next size, one that cannot is
/// tried again at a quarter of its size, down to one.
///
/// At most n + 2·log₄(n) tests and a few per change between removable and needed stretches.
/// 1-minimal only for monotone oracles.
#[derive(Clone)]
pub struct Galloping {
    kept: Configuration,
    at: usize,
    group: usize,
}

impl Galloping {
    /// Returns a pass over `circumstances` that begins with groups of `first`.
    pub fn new(circumstances: usize, first: First) -> Self {
        Self { kept: Configuration::all(circumstances), at: 0, group: first.size(circumstances) }
    }
}

impl Machine for Galloping {
    fn question(&self) -> Option<Configuration> {
        (self.group > 0).then(|| self.kept.without(self.at..self.at + self.group))
    }

    fn answer(&mut self, outcome: Outcome) {
        assert!(self.group > 0, "told after the end");
        if outcome == Outcome::Fail {
            self.kept.remove_range(self.at..self.at + self.group);
            self.at += self.group;
            self.group *= 2;
        } else if self.group == 1 {
            self.at += 1;
        } else {
            self.group = (self.group / 4).max(1);
        }
        self.group = self.group.min(self.kept.universe() - self.at);
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}
