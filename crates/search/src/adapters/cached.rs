//! Remembers answers for a search that asks some questions more than once.

use crate::memory::Memory;
use crate::{Configuration, Minimizer, Outcome, Search};

/// A search whose repeated questions are answered from memory (*Why Programs Fail*, §5.8.1).
#[derive(Clone)]
pub struct Cached<S> {
    search: S,
    memory: Memory,
    asked: usize,
}

impl<S: Search<Configuration>> Cached<S> {
    /// Returns `search` with an empty memory.
    pub fn new(search: S) -> Self {
        Self { search, memory: Memory::default(), asked: 0 }
    }

    /// Returns the search inside.
    pub fn search(&self) -> &S {
        &self.search
    }

    /// Returns how many questions of the search were answered, from memory or not.
    pub fn asked(&self) -> usize {
        self.asked
    }

    /// Returns how many different questions of the search were answered: as many as were told.
    pub fn distinct(&self) -> usize {
        self.memory.len()
    }
}

impl<S: Search<Configuration> + Clone + 'static> Search<Configuration> for Cached<S> {
    fn ask(&self) -> Option<Configuration> {
        self.search.ask()
    }

    fn tell(&mut self, outcome: Outcome) {
        let question = self.search.ask().expect("told only what was asked");
        self.memory.learn(&question, outcome);
        let mut known = Some(outcome);
        while let Some(outcome) = known {
            self.search.tell(outcome);
            self.asked += 1;
            known = self.search.ask().and_then(|q| self.memory.recall(&q));
        }
    }

    fn fork(&self) -> Box<dyn Search<Configuration>> {
        Box::new(self.clone())
    }
}

impl<S: Minimizer + Clone + 'static> Minimizer for Cached<S> {
    fn kept(&self) -> &Configuration {
        self.search.kept()
    }

    fn fork_minimizer(&self) -> Box<dyn Minimizer> {
        Box::new(self.clone())
    }
}
