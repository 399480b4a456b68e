//! Closures as tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use minirepro_engine::Outcome;
use minirepro_runner::{CancelToken, Limits, Observation, Oracle, OracleError, TestEnd};

use crate::error::Error;
use crate::tester::subject::{Subject, Test, Tester};

impl<F, A> Test for F
where
    F: Fn(&[u8]) -> A + Sync,
    A: Into<Outcome>,
{
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error> {
        Ok(Box::new(Closure { ask: self, limits: subject.limits }))
    }
}

struct Closure<F> {
    ask: F,
    limits: Limits,
}

impl<F, A> Oracle for Closure<F>
where
    F: Fn(&[u8]) -> A + Send + Sync,
    A: Into<Outcome>,
{
    fn test(&self, candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        let start = Instant::now();
        let asked = catch_unwind(AssertUnwindSafe(|| (self.ask)(candidate).into()));
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

impl<F, A> Tester for Closure<F>
where
    F: Fn(&[u8]) -> A + Send + Sync,
    A: Into<Outcome>,
{
    fn limits(&self) -> Limits {
        self.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }
}

#[cfg(test)]
mod tests {
    use crate::{Reduction, Settings};

    /// Runs a reduction of a text with a 7 whose test panics when this holds; returns the error.
    fn error(jobs: usize, panics: impl Fn(&[u8]) -> bool + Sync) -> String {
        let test = |text: &[u8]| {
            assert!(!panics(text), "of {} bytes", text.len());
            text.contains(&b'7')
        };
        let settings = Settings { jobs, ..Settings::default() };
        let ended = Reduction { settings, ..Reduction::new(*b"1 2 7 9") }.run(test);
        ended.map(|outcome| outcome.text().to_owned()).unwrap_err().to_string()
    }

    #[test]
    fn a_panic_of_a_test_is_an_error_with_its_message_for_any_number_of_jobs() {
        for jobs in [1, 2, 8] {
            let first = error(jobs, |_| true);
            assert!(first.contains("the test panicked: of 7 bytes"), "{first}");
            let later = error(jobs, |text| !text.is_empty() && text.len() < 7);
            assert!(later.contains("the test panicked: of "), "{later}");
        }
    }
}
