//! Circumstances some of whose candidates are ruled out by the caller.

use std::sync::Arc;

use minirepro_search::Configuration;

use crate::Circumstances;

/// Says whether a candidate may be.
type Allowed = dyn Fn(&[u8]) -> bool + Send + Sync;

/// Circumstances of which a choice is also infeasible if its candidate is not allowed.
#[derive(Clone)]
pub struct Filtered {
    circumstances: Arc<dyn Circumstances>,
    allowed: Arc<Allowed>,
}

impl Filtered {
    /// Returns the circumstances with candidates that are `allowed`.
    pub fn new(
        circumstances: impl Circumstances + 'static,
        allowed: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { circumstances: Arc::new(circumstances), allowed: Arc::new(allowed) }
    }
}

impl Circumstances for Filtered {
    fn name(&self) -> &'static str {
        self.circumstances.name()
    }

    fn weights(&self) -> Vec<u32> {
        self.circumstances.weights()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        self.circumstances.candidate(there).filter(|candidate| (self.allowed)(candidate))
    }

    fn members(&self, there: &Configuration) -> Vec<usize> {
        self.circumstances.members(there)
    }

    fn finer(
        &self,
        passing: &Configuration,
        failing: &Configuration,
    ) -> Option<Arc<dyn Circumstances>> {
        let circumstances = self.circumstances.finer(passing, failing)?;
        Some(Arc::new(Self { circumstances, allowed: Arc::clone(&self.allowed) }))
    }
}
