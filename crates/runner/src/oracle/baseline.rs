//! The tests before the search: the unchanged input must reproduce the failure, more than once, and
//! the empty one must not.

use std::time::Duration;

use minirepro_engine::Outcome;

use crate::{CancelToken, Observation, Oracle, OracleError, TestEnd};

/// How many times the unchanged input is tested.
const RUNS: usize = 2;
/// How many times it is tested in all if the first answers differ, to tell how flaky the test is.
const FLAKY_RUNS: usize = 10;
/// The smallest time limit: machines are busy at times.
const LEAST_LIMIT: Duration = Duration::from_secs(5);

/// The findings of the tests before the search.
#[derive(Clone, Copy, Debug)]
pub struct Baseline {
    /// The time of the slowest test of the unchanged input.
    pub slowest: Duration,
    /// The number of tests that were run.
    pub tests: u64,
}

impl Baseline {
    /// Returns the time that a test may take from now on: ten times the slowest so far, at least 5
    /// s.
    pub fn limit(&self) -> Duration {
        (self.slowest * 10).max(LEAST_LIMIT)
    }
}

/// How often tests of an input reproduced the failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reliability {
    /// The number of tests that reproduced it.
    pub reproduced: usize,
    /// The number of tests in all.
    pub runs: usize,
}

impl Reliability {
    /// Estimates the probability that one test reproduces: never 0 or 1 (Jeffreys' prior).
    pub fn rate(&self) -> f64 {
        (self.reproduced as f64 + 0.5) / (self.runs as f64 + 1.0)
    }

    /// Returns the probability that none of `tests` tests reproduces, at this rate.
    pub fn all_miss(&self, tests: u32) -> f64 {
        (1.0 - self.rate()).powi(tests.try_into().unwrap_or(i32::MAX))
    }
}

/// Tests the same input several times.
///
/// # Errors
/// If the test does not work, or `stop` is set.
pub fn reliability(
    oracle: &dyn Oracle,
    input: &[u8],
    stop: &CancelToken,
) -> Result<Reliability, BaselineError> {
    let mut reproduced = 0;
    for _ in 0..FLAKY_RUNS {
        reproduced += usize::from(test(oracle, input, stop)?.outcome == Outcome::Fail);
    }
    Ok(Reliability { reproduced, runs: FLAKY_RUNS })
}

/// The error for an input with which there is nothing to search for.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The failure does not show on the unchanged input.
    #[error("the test does not reproduce the failure on the unchanged input: it {}", in_words(*.ending))]
    NotReproduced {
        /// How the test ended.
        ending: TestEnd,
        /// The last lines that it wrote.
        output: String,
    },
    /// The test took too long on the unchanged input.
    #[error("the test took more than {} s on the unchanged input", .0.as_secs_f32())]
    TooSlow(Duration),
    /// The test gives different answers for the same input.
    #[error(
        "the test is flaky: it reproduced the failure in {} of {} runs on the unchanged input",
        .0.reproduced, .0.runs
    )]
    Flaky(Reliability),
    /// The failure shows without any input, on what is called so.
    #[error("the test says 'reproduced' for {0}, so there is nothing to search for")]
    AcceptsEmpty(String),
    /// The tests were interrupted.
    #[error("interrupted before the search began")]
    Stopped,
    /// The test does not work at all.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// Runs the test more than once on an input that must reproduce the failure.
///
/// # Errors
/// If the input does not reproduce it, or only at times.
pub fn reproduces(
    oracle: &dyn Oracle,
    input: &[u8],
    stop: &CancelToken,
) -> Result<Baseline, BaselineError> {
    let mut slowest = Duration::ZERO;
    for run in 0..RUNS {
        let seen = test(oracle, input, stop)?;
        slowest = slowest.max(seen.time);
        if seen.outcome != Outcome::Fail {
            return Err(refused(oracle, input, &seen, run, stop)?);
        }
    }
    Ok(Baseline { slowest, tests: RUNS as u64 })
}

/// Runs the test once on a candidate outside of any search.
///
/// # Errors
/// If there is no answer.
pub fn test(
    oracle: &dyn Oracle,
    input: &[u8],
    stop: &CancelToken,
) -> Result<Observation, BaselineError> {
    let seen = oracle.test(input, stop)?;
    if seen.ending == TestEnd::Stopped { Err(BaselineError::Stopped) } else { Ok(seen) }
}

/// Finds out whether the test never reproduces or only sometimes.
fn refused(
    oracle: &dyn Oracle,
    input: &[u8],
    seen: &Observation,
    before: usize,
    stop: &CancelToken,
) -> Result<BaselineError, BaselineError> {
    if before == 0 && seen.ending == TestEnd::TimedOut {
        return Ok(BaselineError::TooSlow(seen.time));
    }
    let mut reproduced = before;
    let mut runs = before + 1;
    // Two refusals may also mean that the test looks for something else.
    while runs < if reproduced > 0 { FLAKY_RUNS } else { RUNS } {
        reproduced += usize::from(test(oracle, input, stop)?.outcome == Outcome::Fail);
        runs += 1;
    }
    Ok(if reproduced > 0 {
        BaselineError::Flaky(Reliability { reproduced, runs })
    } else {
        let output = oracle.explain(input, stop);
        BaselineError::NotReproduced { ending: seen.ending, output }
    })
}

/// Says how a test ended.
pub fn in_words(ending: TestEnd) -> String {
    match ending {
        TestEnd::Exited(125) => "ended with exit code 125, which means unresolved".into(),
        TestEnd::Exited(124) => "ended with exit code 124, which means a timeout".into(),
        TestEnd::Exited(code) => format!("ended with exit code {code}, not with 0"),
        TestEnd::Signaled(signal) => format!("was killed by signal {signal}"),
        TestEnd::TimedOut => "took too long".into(),
        TestEnd::TooMuchOutput => "wrote too much".into(),
        TestEnd::Stopped => "was stopped".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Answers in turn.
    struct Told(Mutex<Vec<Outcome>>);

    impl Oracle for Told {
        fn test(&self, _candidate: &[u8], _: &CancelToken) -> Result<Observation, OracleError> {
            let outcome = self.0.lock().unwrap().pop().unwrap_or(Outcome::Fail);
            let code = if outcome == Outcome::Fail { 0 } else { 1 };
            let ending = TestEnd::Exited(code);
            Ok(Observation { outcome, ending, time: Duration::from_secs(2) })
        }
    }

    #[test]
    fn only_a_steady_test_is_accepted() {
        use Outcome::{Fail, Pass};
        let cases: [(&[Outcome], &str); 4] = [
            (&[], "20s"),
            (&[Pass, Pass], "the test does not reproduce the failure on the unchanged input"),
            (&[Fail, Pass], "the test is flaky: it reproduced the failure in 9 of 10 runs"),
            (&[Pass, Fail], "the test is flaky: it reproduced the failure in 9 of 10 runs"),
        ];
        for (answers, expected) in cases {
            let oracle = Told(Mutex::new(answers.to_vec()));
            let shown = match reproduces(&oracle, b"x", &CancelToken::new().unwrap()) {
                Ok(baseline) => format!("{:?}", baseline.limit()),
                Err(error) => error.to_string(),
            };
            assert!(shown.starts_with(expected), "{shown}");
        }
    }
}
