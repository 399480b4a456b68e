//! Closures as tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
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

/// Returns a test for which the failure is a panic of a closure, as for the properties of fuzzers.
///
/// Where the message matters, [`with`](Panics::with) says what it must contain. The process prints
/// each panic unless it has a hook ([`std::panic::set_hook`]) that does not.
///
/// ```
/// # std::panic::set_hook(Box::new(|_| {}));
/// use minirepro::{Reduction, panics};
///
/// let property = |text: &[u8]| assert!(!text.contains(&b'7'), "there is a seven");
/// let outcome = Reduction::new(*b"1 2 7 9").run(panics(property).with("seven"))?;
/// assert_eq!(outcome.text(), b"7");
/// # Ok::<(), minirepro::Error>(())
/// ```
pub fn panics<F: Fn(&[u8]) + Sync>(property: F) -> Panics<F> {
    Panics { property, message: String::new() }
}

/// A test for which the failure is a panic, see [`panics`].
#[derive(Debug)]
pub struct Panics<F> {
    property: F,
    message: String,
}

impl<F: Fn(&[u8]) + Sync> Panics<F> {
    /// Only looks for panics whose message contains this; others are unresolved.
    #[must_use]
    pub fn with(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    fn ask(&self, candidate: &[u8]) -> Outcome {
        let Err(payload) = catch_unwind(AssertUnwindSafe(|| (self.property)(candidate))) else {
            return Outcome::Pass;
        };
        match OracleError::panicked(&*payload) {
            OracleError::Panicked { message } if !message.contains(&self.message) => {
                Outcome::Unresolved
            }
            _ => Outcome::Fail,
        }
    }
}

impl<F: Fn(&[u8]) + Sync> Test for Panics<F> {
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error> {
        let ask = |candidate: &[u8]| self.ask(candidate);
        Ok(Box::new(Closure { ask, limits: subject.limits }))
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

struct Closure<F> {
    ask: F,
    limits: Limits,
}

impl<F, A> Oracle for Closure<F>
where
    F: Fn(&[u8]) -> A + Send + Sync,
    A: Answer,
{
    fn test(&self, candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        let start = Instant::now();
        let asked = catch_unwind(AssertUnwindSafe(|| (self.ask)(candidate).outcome()));
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
    A: Answer,
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
    use super::*;
    use crate::Reduction;

    /// Runs a reduction of a text with a 7 whose test panics when this holds; returns the error.
    fn error(jobs: usize, panics: impl Fn(&[u8]) -> bool + Sync) -> String {
        let test = |text: &[u8]| {
            assert!(!panics(text), "of {} bytes", text.len());
            text.contains(&b'7')
        };
        let ended = Reduction::new(*b"1 2 7 9").jobs(jobs).run(test);
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

    #[test]
    fn a_panic_may_be_the_failure() {
        let property = |text: &[u8]| {
            assert!(!text.is_empty(), "empty");
            assert!(!text.contains(&b'7'), "seven");
        };
        for jobs in [1, 2] {
            let test = panics(property).with("seven");
            let outcome = Reduction::new(*b"1 2 7 9").jobs(jobs).run(test).unwrap();
            assert_eq!(outcome.text(), b"7");
        }
    }
}
