//! Asks for each circumstance exactly once, in order.

use crate::machine::Machine;
use crate::wave::Wave;
use crate::{Configuration, Outcome};

/// One question per circumstance: what works goes, what does not stays, nothing is tried again.
///
/// For alternatives that contradict each other (several texts for one place), where groups make no
/// sense, and for callers who sweep at the end. Exactly n questions, and those of the merges if it is
/// [`wide`](Once::wide); 1-minimal only if no removal makes an earlier circumstance removable.
#[derive(Clone)]
pub struct Once {
    wave: Wave,
    /// How many circumstances were or are being asked about.
    begun: usize,
    width: usize,
}

impl Once {
    /// Searches `0..circumstances`.
    pub fn new(circumstances: usize) -> Self {
        Self::wide(circumstances, 1)
    }

    /// Searches `0..circumstances`, asking about `width` of them at a time (at least one), each on the same
    /// base, and then about all that could go, together or in halves.
    pub fn wide(circumstances: usize, width: usize) -> Self {
        let wave = Wave::new(Configuration::all(circumstances), 0..0);
        let mut once = Self { wave, begun: 0, width: width.max(1) };
        once.next();
        once
    }

    fn next(&mut self) {
        let kept = self.wave.kept().clone();
        let end = self.begun.saturating_add(self.width).min(kept.universe());
        self.wave = Wave::new(kept, self.begun..end);
        self.begun = end;
    }
}

impl Machine for Once {
    fn question(&self) -> Option<Configuration> {
        self.wave.question()
    }

    fn answer(&mut self, outcome: Outcome) {
        self.wave.answer(outcome);
        if self.wave.is_over() {
            self.next();
        }
    }

    fn best(&self) -> &Configuration {
        self.wave.kept()
    }

    fn goes_on(&self) -> bool {
        self.wave.goes_on()
    }
}

#[cfg(test)]
mod tests {
    use super::Once;
    use crate::{Minimizer, Outcome, Search};

    #[test]
    fn asks_once_for_each_and_keeps_what_is_needed() {
        for (width, questions) in [(1, 5), (2, 5), (3, 6), (100, 6)] {
            let mut once = Once::wide(5, width);
            let mut asked = 0;
            while let Some(kept) = once.ask() {
                asked += 1;
                let fails = kept.contains(1) && kept.contains(3);
                once.tell(if fails { Outcome::Fail } else { Outcome::Pass });
            }
            assert_eq!(asked, questions, "width {width}");
            assert_eq!(once.kept().iter().collect::<Vec<_>>(), [1, 3], "width {width}");
        }
    }
}
