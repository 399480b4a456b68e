//! The place of a test in a run that is decided by its journal alone.

use minirepro_runner::{CancelToken, Limits, Observation, Oracle, OracleError};

use crate::tester::subject::Tester;

/// A test that must not be run.
#[derive(Debug)]
pub struct Nothing {
    /// What the test might have used.
    pub limits: Limits,
    /// Whether its programs could be overheard.
    pub can_listen: bool,
}

impl Oracle for Nothing {
    fn test(&self, _candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        Err(OracleError::JournalExhausted)
    }
}

impl Tester for Nothing {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn can_listen(&self) -> bool {
        self.can_listen
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }
}
