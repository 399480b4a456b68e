//! A test that workers run, for whoever asks no more of a test than its interface.

use minirepro_runner::{CancelToken, Observation, Oracle, OracleError};

use crate::pool::{SeenElsewhere, WorkerPool};

/// A test that workers run, and this process as far as it has jobs of its own.
pub struct PooledOracle<'a> {
    /// The workers.
    pub pool: &'a WorkerPool,
    /// The test as this process runs it.
    pub own: &'a dyn Oracle,
    /// Gets to know what a worker has seen of a candidate besides the finding.
    pub heard: &'a (dyn Fn(&[u8], &SeenElsewhere) + Sync),
}

impl std::fmt::Debug for PooledOracle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PooledOracle").finish_non_exhaustive()
    }
}

impl Oracle for PooledOracle<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let tested = self.pool.test(candidate, self.own, stop)?;
        if let Some(elsewhere) = &tested.elsewhere {
            (self.heard)(candidate, elsewhere);
        }
        Ok(tested.seen)
    }

    fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        self.own.explain(candidate, stop)
    }
}
