//! Isolation of a difference between a passing and a failing configuration.

use crate::published::parts::cut;
use crate::{Configuration, Outcome, Search};

/// dd (Zeller & Hildebrandt 2002, Fig. 15): narrows the difference between a passing configuration
/// and a larger failing one from both sides. Each outcome is used at once.
///
/// The difference at the end is 1-minimal: adding one of its circumstances to the passing side
/// does not pass, taking one away from the failing side does not fail. At most ⌈log₂ n⌉ + 1
/// questions if all outcomes are Pass or Fail; at most n² + 3n different ones otherwise.
#[derive(Clone)]
pub struct Dd {
    passing: Configuration,
    failing: Configuration,
    /// The difference of the two, cut.
    parts: Vec<Vec<usize>>,
    next: Next,
}

#[derive(Clone, Copy)]
enum Next {
    /// Add this part to the passing side.
    Add(usize),
    /// Take this part from the failing side.
    Take(usize),
    Done,
}

impl Dd {
    /// Searches between nothing, known to pass, and `0..circumstances`, known to fail.
    pub fn new(circumstances: usize) -> Self {
        let (passing, failing) =
            (Configuration::none(circumstances), Configuration::all(circumstances));
        let mut dd = Self { passing, failing, parts: Vec::new(), next: Next::Done };
        dd.cut(2);
        dd
    }

    /// Returns the largest configuration so far that passes.
    pub fn passing(&self) -> &Configuration {
        &self.passing
    }

    /// Returns the circumstances of the failing side that are not in the passing side.
    pub fn difference(&self) -> Configuration {
        self.failing.minus(&self.passing)
    }

    /// Cuts the difference of now into `granularity` parts.
    fn cut(&mut self, granularity: usize) {
        self.parts = cut(&self.difference(), granularity);
        self.next = if self.parts.len() < 2 { Next::Done } else { Next::Add(0) };
    }

    fn advance(&mut self) {
        let count = self.parts.len();
        self.next = match self.next {
            Next::Add(i) if i + 1 < count => Next::Add(i + 1),
            // Of two parts, adding one is taking the other.
            Next::Add(_) if count > 2 => Next::Take(0),
            Next::Take(i) if i + 1 < count => Next::Take(i + 1),
            _ if count < self.difference().len() => return self.cut(count * 2),
            _ => Next::Done,
        };
    }
}

impl Search for Dd {
    fn ask(&self) -> Option<Configuration> {
        match self.next {
            Next::Add(i) => {
                let mut more = self.passing.clone();
                self.parts[i].iter().for_each(|&c| more.insert(c));
                Some(more)
            }
            Next::Take(i) => Some(self.failing.without(self.parts[i].iter().copied())),
            Next::Done => None,
        }
    }

    fn tell(&mut self, outcome: Outcome) {
        let question = self.ask().expect("told only what was asked");
        let fewer = (self.parts.len() - 1).max(2);
        let granularity = match (self.next, outcome) {
            (_, Outcome::Unresolved) | (Next::Done, _) => return self.advance(),
            (Next::Add(_), Outcome::Fail) | (Next::Take(_), Outcome::Pass) => 2,
            (Next::Add(_), Outcome::Pass) | (Next::Take(_), Outcome::Fail) => fewer,
        };
        match outcome {
            Outcome::Fail => self.failing = question,
            _ => self.passing = question,
        }
        self.cut(granularity);
    }

    /// Returns the smallest configuration so far that fails.
    fn kept(&self) -> &Configuration {
        &self.failing
    }
}
