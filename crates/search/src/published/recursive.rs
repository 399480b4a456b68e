//! Delta debugging by recursion on halves.

use std::ops::Range;

use crate::{Configuration, Outcome, Search};

/// Recursive delta debugging (Zeller 1999; `ddrmin` in the notebook of the seeds): if one half
/// fails without the other, go on with it; else reduce the first half beside the whole second
/// one, then the second beside what is left of the first.
///
/// At most 2n questions. 1-minimal only for monotone oracles; never asks the empty configuration.
#[derive(Clone)]
pub struct Recursive {
    kept: Configuration,
    /// The circumstances being reduced. All others that are kept are their context.
    current: Range<usize>,
    /// Ranges whose turn comes after, the next one last. At most ⌈log₂ n⌉ of them.
    later: Vec<Range<usize>>,
    /// Whether the question leaves out the first half rather than the second.
    second: bool,
}

impl Recursive {
    /// Searches `0..circumstances`.
    pub fn new(circumstances: usize) -> Self {
        let kept = Configuration::all(circumstances);
        let mut search = Self { kept, current: 0..circumstances, later: vec![], second: false };
        search.skip_single();
        search
    }

    fn middle(&self) -> usize {
        self.current.start + self.current.len() / 2
    }

    /// Returns whether a single circumstance is known to be needed, being in a range that is.
    fn skip_single(&mut self) {
        while self.current.len() < 2 {
            let Some(next) = self.later.pop() else { return };
            self.current = next;
        }
    }
}

impl Search for Recursive {
    fn ask(&self) -> Option<Configuration> {
        let Range { start, end } = self.current;
        let half = if self.second { start..self.middle() } else { self.middle()..end };
        (self.current.len() >= 2).then(|| self.kept.without(half))
    }

    fn tell(&mut self, outcome: Outcome) {
        let Range { start, end } = self.current;
        let middle = self.middle();
        let fails = outcome == Outcome::Fail;
        match (self.second, fails) {
            (false, true) => {
                self.kept = self.kept.without(middle..end);
                self.current = start..middle;
            }
            (false, false) => {
                self.second = true;
                return;
            }
            (true, true) => {
                self.kept = self.kept.without(start..middle);
                self.current = middle..end;
            }
            (true, false) => {
                self.later.push(middle..end);
                self.current = start..middle;
            }
        }
        self.second = false;
        self.skip_single();
    }

    fn kept(&self) -> &Configuration {
        &self.kept
    }
}
