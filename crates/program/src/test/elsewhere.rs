//! A test that workers run: on other machines, or beside this process.

use minirepro_runner::{CancelToken, Fleet, Observation, Oracle, OracleError};

use crate::test::subject::Tester;

/// A test that workers run, and this process as far as it has jobs of its own.
pub struct Elsewhere<'a> {
    /// The workers.
    pub fleet: &'a Fleet,
    /// The test as this process runs it.
    pub own: &'a dyn Oracle,
    /// Gets to know what was seen elsewhere.
    pub tester: &'a dyn Tester,
}

impl Oracle for Elsewhere<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let tested = self.fleet.test(candidate, self.own, stop)?;
        if let Some(elsewhere) = &tested.elsewhere {
            self.tester.hear(candidate, elsewhere);
        }
        Ok(tested.seen)
    }

    fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        self.own.explain(candidate, stop)
    }
}
