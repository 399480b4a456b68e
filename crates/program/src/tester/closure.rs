//! Closures as tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use minirepro_engine::Outcome;
use minirepro_runner::{CancelToken, Observation, Oracle, OracleError, TestEnd};

use crate::error::Error;
use crate::tester::subject::{Subject, Test, Tester};

impl<F, A> Test for F
where
    F: Fn(&[u8]) -> A + Sync,
    A: Into<Outcome>,
{
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Tester<'t>, Error> {
        Ok(Tester::new(Closure(self), subject.limits))
    }
}

struct Closure<F>(F);

impl<F, A> Oracle for Closure<F>
where
    F: Fn(&[u8]) -> A + Send + Sync,
    A: Into<Outcome>,
{
    fn test(&self, candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        let start = Instant::now();
        let asked = catch_unwind(AssertUnwindSafe(|| (self.0)(candidate).into()));
        let outcome = asked.map_err(|payload| OracleError::panicked(&*payload))?;
        // As a script would end.
        let code = match outcome {
            Outcome::Fail => 0,
            Outcome::Pass => 1,
            Outcome::Unresolved => 125,
        };
        Ok(Observation { outcome, ending: TestEnd::Exited(code), time: start.elapsed() })
    }
}
