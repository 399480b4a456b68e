//! How tests are asked: by a closure one after the other, on several `threads`, in `children` that
//! may die. `panics` says what a panic means.

#[cfg(unix)]
pub(crate) mod children;
pub(crate) mod panics;
pub(crate) mod threads;

use std::sync::Arc;

use minirepro_engine::JobId;

use crate::{Error, Outcome};

/// Runs the tests of a session.
pub(crate) trait Tests {
    /// Begins to test a candidate; returns its outcome if it is known at once.
    ///
    /// # Errors
    /// If the test does not work.
    fn start(&mut self, id: JobId, candidate: Arc<[u8]>) -> Result<Option<Outcome>, Error>;

    /// Waits until a test that was started has an outcome.
    ///
    /// # Errors
    /// If the test does not work.
    fn wait(&mut self) -> Result<(JobId, Outcome), Error> {
        unreachable!("each test has its outcome at once")
    }
}

impl<F: FnMut(&[u8]) -> Result<Outcome, Error>> Tests for F {
    fn start(&mut self, _id: JobId, candidate: Arc<[u8]>) -> Result<Option<Outcome>, Error> {
        self(&candidate).map(Some)
    }
}
