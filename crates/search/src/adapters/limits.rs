//! Ends a search before it is done. Must not read a clock: the time is an argument.

use std::collections::VecDeque;
use std::time::Duration;

use crate::{Configuration, Minimizer, Outcome, Search};

/// When to stop early (*Why Programs Fail*, §5.8.2). Nothing is limited by default.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Stop at the first question that leaves out fewer circumstances than this.
    pub granularity: Option<usize>,
    /// Stop when a number of tests (the first field) removed less than a share (the second, 0 to 1)
    /// of what there was before them.
    pub progress: Option<(usize, f64)>,
    /// Stop after this many tests.
    pub tests: Option<usize>,
    /// Stop at this time, on the clock of the caller of [`Stop::now`].
    pub time: Option<Duration>,
}

/// A minimizer that is done when it is, or when a limit is reached.
#[derive(Clone)]
pub struct Stop<S> {
    search: S,
    limits: Limits,
    tests: usize,
    now: Duration,
    /// Sizes of what was kept before each of the last tests that `limits.progress` looks at.
    sizes: VecDeque<usize>,
}

impl<S: Minimizer> Stop<S> {
    /// Returns `search` within `limits`, at time zero.
    pub fn new(search: S, limits: Limits) -> Self {
        Self { search, limits, tests: 0, now: Duration::ZERO, sizes: VecDeque::new() }
    }

    /// Says what time it is. Time does not go back: an earlier time is ignored.
    pub fn now(&mut self, now: Duration) {
        self.now = self.now.max(now);
    }

    /// Returns whether a limit, and not the search, is why there are no more questions.
    pub fn is_stopped(&self) -> bool {
        self.search.ask().is_some_and(|question| self.is_over(&question))
    }

    /// Returns the search inside.
    pub fn search(&self) -> &S {
        &self.search
    }

    fn is_over(&self, question: &Configuration) -> bool {
        let kept = self.search.kept();
        let left_out = kept.len().saturating_sub(question.len());
        self.limits.granularity.is_some_and(|least| left_out < least)
            || self.limits.tests.is_some_and(|most| self.tests >= most)
            || self.limits.time.is_some_and(|end| self.now >= end)
            || self.limits.progress.is_some_and(|(tests, share)| {
                let before = self.sizes.front().copied().unwrap_or(0);
                let gone = before.saturating_sub(kept.len());
                self.sizes.len() >= tests && (gone as f64) < share * before as f64
            })
    }
}

impl<S: Minimizer + Clone + 'static> Search<Configuration> for Stop<S> {
    fn ask(&self) -> Option<Configuration> {
        self.search.ask().filter(|question| !self.is_over(question))
    }

    fn tell(&mut self, outcome: Outcome) {
        if let Some((tests, _)) = self.limits.progress {
            self.sizes.push_back(self.search.kept().len());
            while self.sizes.len() > tests {
                self.sizes.pop_front();
            }
        }
        self.search.tell(outcome);
        self.tests += 1;
    }

    fn fork(&self) -> Box<dyn Search<Configuration>> {
        Box::new(self.clone())
    }
}

impl<S: Minimizer + Clone + 'static> Minimizer for Stop<S> {
    fn kept(&self) -> &Configuration {
        self.search.kept()
    }

    fn fork_minimizer(&self) -> Box<dyn Minimizer> {
        Box::new(self.clone())
    }
}
