//! Closures as tests.

use std::time::Instant;

use minirepro_engine::Outcome;
use minirepro_runner::{CancelToken, Limits, Observation, Oracle, OracleError, TestEnd};

use crate::error::Error;
use crate::test::subject::{Subject, Test, Tester};

/// An answer of a closure: whether the failure is there.
pub trait Answer {
    /// Returns the outcome that this answer stands for.
    fn outcome(self) -> Outcome;
}

impl Answer for bool {
    /// Returns `Fail`, the failure is there, for `true` and `Pass` for `false`.
    fn outcome(self) -> Outcome {
        if self { Outcome::Fail } else { Outcome::Pass }
    }
}

impl Answer for Outcome {
    fn outcome(self) -> Outcome {
        self
    }
}

impl<F, A> Test for F
where
    F: Fn(&[u8]) -> A + Sync,
    A: Answer,
{
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error> {
        Ok(Box::new(Closure { ask: self, limits: subject.limits }))
    }
}

struct Closure<'t, F> {
    ask: &'t F,
    limits: Limits,
}

impl<F, A> Oracle for Closure<'_, F>
where
    F: Fn(&[u8]) -> A + Sync,
    A: Answer,
{
    fn test(&self, candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        let start = Instant::now();
        let outcome = (self.ask)(candidate).outcome();
        // As a script would end.
        let code = match outcome {
            Outcome::Fail => 0,
            Outcome::Pass => 1,
            Outcome::Unresolved => 125,
        };
        Ok(Observation { outcome, ending: TestEnd::Exited(code), time: start.elapsed() })
    }
}

impl<F, A> Tester for Closure<'_, F>
where
    F: Fn(&[u8]) -> A + Sync,
    A: Answer,
{
    fn limits(&self) -> Limits {
        self.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }
}
