//! Asks for each circumstance exactly once, in order.

use crate::machine::Machine;
use crate::{Configuration, Outcome};

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

impl Machine for Once {
    fn question(&self) -> Option<Configuration> {
        (self.at < self.kept.universe()).then(|| {
            let mut question = self.kept.clone();
            question.remove(self.at);
            question
        })
    }

    fn answer(&mut self, outcome: Outcome) {
        if outcome == Outcome::Fail {
            self.kept.remove(self.at);
        }
        self.at += 1;
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::Once;
    use crate::{Minimizer, Outcome, Search};

    #[test]
    fn asks_once_for_each_and_keeps_what_is_needed() {
        let mut once = Once::new(5);
        let mut asked = 0;
        while let Some(kept) = once.ask() {
            asked += 1;
            let fails = kept.contains(1) && kept.contains(3);
            once.tell(if fails { Outcome::Fail } else { Outcome::Pass });
        }
        assert_eq!(asked, 5);
        assert_eq!(once.kept().iter().collect::<Vec<_>>(), [1, 3]);
    }
}
