//! Isolation of a difference between a passing and a failing configuration. Not a minimizer: it
//! moves both ends.

use crate::published::parts::Parts;
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
    parts: Parts,
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
        Self::between(Configuration::none(circumstances), Configuration::all(circumstances))
    }

    /// Searches between `passing`, known to pass, and `failing`, known to fail.
    ///
    /// # Panics
    /// If `passing` is not a subset of `failing`.
    pub fn between(passing: Configuration, failing: Configuration) -> Self {
        assert!(passing.is_subset(&failing), "the passing side must be part of the failing side");
        let parts = Parts::whole(failing.minus(&passing).iter().collect());
        let mut dd = Self { passing, failing, parts, next: Next::Done };
        dd.cut(2);
        dd
    }

    /// Returns the largest configuration so far that passes.
    pub fn passing(&self) -> &Configuration {
        &self.passing
    }

    /// Returns the smallest configuration so far that fails.
    pub fn failing(&self) -> &Configuration {
        &self.failing
    }

    /// Returns the circumstances of the failing side that are not in the passing side.
    pub fn difference(&self) -> Configuration {
        self.failing.minus(&self.passing)
    }

    /// Cuts what the difference is now into `granularity` parts.
    fn cut(&mut self, granularity: usize) {
        let members: std::sync::Arc<[usize]> = self.difference().iter().collect();
        self.next = if members.len() < 2 { Next::Done } else { Next::Add(0) };
        let count = granularity.min(members.len());
        self.parts = Parts::equal(members, count);
    }

    fn advance(&mut self) {
        let count = self.parts.count();
        self.next = match self.next {
            Next::Add(i) if i + 1 < count => Next::Add(i + 1),
            // Of two parts, adding one is taking the other.
            Next::Add(_) if count > 2 => Next::Take(0),
            Next::Take(i) if i + 1 < count => Next::Take(i + 1),
            _ if count < self.parts.members().len() => return self.cut(count * 2),
            _ => Next::Done,
        };
    }
}

impl Search<Configuration> for Dd {
    fn ask(&self) -> Option<Configuration> {
        match self.next {
            Next::Add(i) => {
                let mut more = self.passing.clone();
                self.parts.part(i).iter().for_each(|&c| more.insert(c));
                Some(more)
            }
            Next::Take(i) => Some(self.parts.complement(&self.failing, i)),
            Next::Done => None,
        }
    }

    fn tell(&mut self, outcome: Outcome) {
        let question = self.ask().expect("told only what was asked");
        let fewer = (self.parts.count() - 1).max(2);
        match (self.next, outcome) {
            (_, Outcome::Unresolved) | (Next::Done, _) => self.advance(),
            (Next::Add(_), Outcome::Fail) => {
                self.failing = question;
                self.cut(2);
            }
            (Next::Take(_), Outcome::Pass) => {
                self.passing = question;
                self.cut(2);
            }
            (Next::Add(_), Outcome::Pass) => {
                self.passing = question;
                self.cut(fewer);
            }
            (Next::Take(_), Outcome::Fail) => {
                self.failing = question;
                self.cut(fewer);
            }
        }
    }

    fn fork(&self) -> Box<dyn Search<Configuration>> {
        Box::new(self.clone())
    }
}
