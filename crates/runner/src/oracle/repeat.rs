//! A retry policy for failures that do not show every time: repeat the test.

use minirepro_engine::Outcome;

use crate::{CancelToken, Observation, Oracle, OracleError, TestEnd};

/// Tests a candidate until the failure is reproduced once, at most a given number of times.
pub struct Repeat<'a> {
    oracle: &'a dyn Oracle,
    times: u32,
}

impl<'a> Repeat<'a> {
    /// Returns an oracle that runs `times` tests at most. A failure that shows with probability p
    /// in one test shows with probability 1 − (1 − p)^`times`.
    pub fn new(oracle: &'a dyn Oracle, times: u32) -> Self {
        Self { oracle, times }
    }
}

impl Oracle for Repeat<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let mut seen = self.oracle.test(candidate, stop)?;
        for _ in 1..self.times {
            if seen.outcome == Outcome::Fail || seen.ending == TestEnd::Stopped {
                break;
            }
            let time = seen.time;
            seen = self.oracle.test(candidate, stop)?;
            seen.time += time;
        }
        Ok(seen)
    }

    fn inner(&self) -> Option<&dyn Oracle> {
        Some(self.oracle)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    /// Shows the failure in the third test only.
    struct Third(AtomicU32);

    impl Oracle for Third {
        fn test(&self, _candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
            let third = self.0.fetch_add(1, Ordering::SeqCst) == 2;
            let outcome = if third { Outcome::Fail } else { Outcome::Pass };
            let ending = TestEnd::Exited(if third { 0 } else { 1 });
            Ok(Observation { outcome, ending, time: Duration::from_secs(1) })
        }
    }

    #[test]
    fn one_reproduction_is_enough_and_ends_the_tests() {
        for (times, outcome, tests) in
            [(2, Outcome::Pass, 2), (3, Outcome::Fail, 3), (9, Outcome::Fail, 3)]
        {
            let third = Third(AtomicU32::new(0));
            let seen = Repeat::new(&third, times).test(b"", &CancelToken::new().unwrap()).unwrap();
            assert_eq!((seen.outcome, seen.time), (outcome, Duration::from_secs(tests)));
        }
    }
}
