//! The certificate of 1-minimality: tests every single circumstance that another search left, on
//! the final configuration.

use crate::machine::Machine;
use crate::memory::Memory;
use crate::{Configuration, Outcome};

/// A search followed by a sweep over what it keeps. Asks nothing twice.
///
/// The result is 1-minimal for any oracle: each kept circumstance was tried alone on the final
/// configuration and did not fail. k tests at most when nothing can go, O(k²) in the worst case
/// for k circumstances, which no algorithm with this guarantee can avoid.
#[derive(Clone)]
pub struct Swept<M> {
    search: M,
    memory: Memory,
    sweep: Option<Sweep>,
}

#[expect(private_bounds, reason = "Machine is how this crate implements Minimizer")]
impl<M: Machine> Swept<M> {
    /// Returns `search`, then a sweep.
    pub fn new(search: M) -> Self {
        let mut swept = Self { search, memory: Memory::default(), sweep: None };
        swept.settle();
        swept
    }

    /// Returns whether the search is done and its result is being swept, or was.
    pub fn is_sweeping(&self) -> bool {
        self.sweep.is_some()
    }

    fn step(&mut self, outcome: Outcome) {
        match &mut self.sweep {
            None => self.search.answer(outcome),
            Some(sweep) => sweep.answer(outcome),
        }
    }

    /// Goes on as far as the remembered answers carry.
    fn settle(&mut self) {
        loop {
            if self.sweep.is_none() && self.search.question().is_none() {
                self.sweep = Some(Sweep::new(self.search.best().clone()));
            }
            let Some(known) = self.question().and_then(|q| self.memory.recall(&q)) else { return };
            self.step(known);
        }
    }
}

impl<M: Machine> Machine for Swept<M> {
    fn question(&self) -> Option<Configuration> {
        match &self.sweep {
            None => self.search.question(),
            Some(sweep) => sweep.question(),
        }
    }

    fn answer(&mut self, outcome: Outcome) {
        let question = self.question().expect("told only what was asked");
        self.memory.learn(&question, outcome);
        self.step(outcome);
        self.settle();
    }

    fn best(&self) -> &Configuration {
        match &self.sweep {
            None => self.search.best(),
            Some(sweep) => sweep.best(),
        }
    }
}

/// Goes round and round over what is left until every single circumstance was refused on one and
/// the same configuration.
///
/// It goes on *after* a success rather than back to the start: what a removal makes removable (the
/// definitions that only it used) comes later in the order. Successes are clustered, so the group
/// doubles with each.
#[derive(Clone)]
pub(crate) struct Sweep {
    kept: Configuration,
    /// Which of `kept` were tried alone on `kept` and did not fail.
    refused: Configuration,
    /// What the question removes: neighbours among those not yet refused.
    group: Vec<usize>,
    /// Where to look for the next group.
    at: usize,
    /// By what a group grows after a success.
    growth: usize,
}

impl Sweep {
    pub(crate) fn new(kept: Configuration) -> Self {
        Self::with_growth(kept, 2)
    }

    /// Groups never grow.
    pub(crate) fn one_by_one(kept: Configuration) -> Self {
        Self::with_growth(kept, 1)
    }

    fn with_growth(kept: Configuration, growth: usize) -> Self {
        let refused = Configuration::none(kept.universe());
        let mut sweep = Self { kept, refused, group: Vec::new(), at: 0, growth };
        sweep.next(1);
        sweep
    }

    /// Picks up to `size` neighbours from `at` on, or from the start when none is left there.
    fn next(&mut self, size: usize) {
        let open = self.kept.minus(&self.refused);
        let start = open.next_from(self.at).or_else(|| open.next_from(0));
        let following = |&last: &usize| open.next_from(last + 1);
        self.group = std::iter::successors(start, following).take(size).collect();
        self.at = start.unwrap_or(0);
    }
}

impl Machine for Sweep {
    fn question(&self) -> Option<Configuration> {
        (!self.group.is_empty()).then(|| {
            let mut question = self.kept.clone();
            self.group.iter().for_each(|&c| question.remove(c));
            question
        })
    }

    fn answer(&mut self, outcome: Outcome) {
        let size = self.group.len();
        if outcome == Outcome::Fail {
            self.group.iter().for_each(|&c| self.kept.remove(c));
            self.refused = Configuration::none(self.kept.universe());
            self.next(size * self.growth);
        } else if size == 1 {
            self.refused.insert(self.group[0]);
            self.next(1);
        } else {
            self.next((size / 4).max(1));
        }
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}
