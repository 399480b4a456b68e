//! The certificate of 1-minimality: tests every single circumstance that another search left, on
//! the final configuration.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Configuration, Outcome, Search};

/// A search followed by a sweep over what it keeps. Asks nothing twice.
///
/// The result is 1-minimal for any oracle: each kept circumstance was tried alone on the final
/// configuration and did not fail. k tests at most when nothing can go, O(k²) in the worst case
/// for k circumstances, which no algorithm with this guarantee can avoid.
///
/// The sweep goes on *after* a success rather than back to the start: what a removal makes
/// removable (the definitions that only it used) comes later in the order. Successes are clustered,
/// so the group doubles with each.
#[derive(Clone)]
pub struct Swept {
    search: Box<dyn Search>,
    answers: Arc<HashMap<Configuration, Outcome>>,
    sweep: Option<Sweep>,
}

#[derive(Clone)]
struct Sweep {
    kept: Configuration,
    /// Which of `kept` were tried alone on `kept` and did not fail.
    refused: Configuration,
    /// The circumstances that the question removes: neighbours among those not yet refused.
    group: Vec<usize>,
}

impl Swept {
    /// Returns `search`, then a sweep.
    pub fn new(search: impl Search + 'static) -> Self {
        let search = Box::new(search);
        let mut swept = Self { search, answers: Arc::default(), sweep: None };
        swept.settle();
        swept
    }

    fn step(&mut self, outcome: Outcome) {
        match &mut self.sweep {
            None => self.search.tell(outcome),
            Some(sweep) => sweep.tell(outcome),
        }
    }

    /// Goes on as far as the remembered answers carry.
    fn settle(&mut self) {
        loop {
            if self.sweep.is_none() && self.search.ask().is_none() {
                self.sweep = Some(Sweep::new(self.search.kept().clone()));
            }
            let known = self.ask().and_then(|question| self.answers.get(&question).copied());
            let Some(known) = known else { return };
            self.step(known);
        }
    }
}

impl Search for Swept {
    fn ask(&self) -> Option<Configuration> {
        match &self.sweep {
            None => self.search.ask(),
            Some(sweep) if sweep.group.is_empty() => None,
            Some(sweep) => Some(sweep.kept.without(sweep.group.iter().copied())),
        }
    }

    fn tell(&mut self, outcome: Outcome) {
        let question = self.ask().expect("told only what was asked");
        Arc::make_mut(&mut self.answers).insert(question, outcome);
        self.step(outcome);
        self.settle();
    }

    fn kept(&self) -> &Configuration {
        self.sweep.as_ref().map_or_else(|| self.search.kept(), |sweep| &sweep.kept)
    }
}

impl Sweep {
    fn new(kept: Configuration) -> Self {
        let refused = Configuration::none(kept.universe());
        let mut sweep = Self { kept, refused, group: Vec::new() };
        sweep.next(0, 1);
        sweep
    }

    /// Picks up to `size` neighbours from `at` on, or from the start when none is left there.
    fn next(&mut self, at: usize, size: usize) {
        let open = self.kept.minus(&self.refused);
        let start = open.iter().find(|&c| c >= at).or_else(|| open.iter().next()).unwrap_or(0);
        self.group = open.iter().filter(|&c| c >= start).take(size).collect();
    }

    fn tell(&mut self, outcome: Outcome) {
        let (at, size) = (self.group[0], self.group.len());
        if outcome == Outcome::Fail {
            self.kept = self.kept.without(self.group.iter().copied());
            self.refused = Configuration::none(self.kept.universe());
            self.next(at, size * 2);
        } else if size == 1 {
            self.refused.insert(at);
            self.next(at, 1);
        } else {
            self.next(at, (size / 4).max(1));
        }
    }
}
