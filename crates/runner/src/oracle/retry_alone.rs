//! A retry policy for timeouts: time limits must not depend on how many tests run at the same time.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use crate::{CancelToken, Observation, Oracle, OracleError, TestEnd};

/// Lets a test that took too long among others run again alone.
#[derive(Debug, Default)]
pub struct Gate(
    /// Held for reading by tests that run among others, for writing by the one that runs alone.
    RwLock<()>,
);

impl Gate {
    /// Runs a test, and once more alone if it is late. Returns what the first one gave in that
    /// case, and what the last one gave.
    ///
    /// # Errors
    /// If the test has none.
    pub fn run<T, E>(
        &self,
        test: impl Fn() -> Result<T, E>,
        is_late: impl Fn(&T) -> bool,
    ) -> Result<(Option<T>, T), E> {
        let first = {
            let _among_others = self.0.read().unwrap_or_else(PoisonError::into_inner);
            test()?
        };
        if !is_late(&first) {
            return Ok((None, first));
        }
        let _alone = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Ok((Some(first), test()?))
    }
}

/// Repeats a test alone that took too long while others were running. Otherwise whether a slow test
/// counts as a hang would depend on the load of the machine.
pub struct Alone<'a> {
    oracle: &'a dyn Oracle,
    gate: Gate,
}

impl<'a> Alone<'a> {
    /// Returns the same oracle, except that only tests which ran alone can time out.
    pub fn new(oracle: &'a dyn Oracle) -> Self {
        Self { oracle, gate: Gate::default() }
    }
}

impl Oracle for Alone<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let test = || self.oracle.test(candidate, stop);
        let (first, last) = self.gate.run(test, |seen| seen.ending == TestEnd::TimedOut)?;
        let time = first.map_or(Duration::ZERO, |first| first.time) + last.time;
        Ok(Observation { time, ..last })
    }

    fn inner(&self) -> Option<&dyn Oracle> {
        Some(self.oracle)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use minirepro_engine::Outcome;

    use super::*;

    /// Takes too long exactly when another test runs.
    struct Busy {
        running: AtomicUsize,
        together: Barrier,
    }

    impl Oracle for Busy {
        fn test(&self, candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
            let before = self.running.fetch_add(1, Ordering::SeqCst);
            if before < 2 && candidate.len() == 1 {
                // The first round: both are inside at the same time.
                self.together.wait();
            }
            let ending = if before == 2 { TestEnd::Exited(0) } else { TestEnd::TimedOut };
            let outcome = if before == 2 { Outcome::Fail } else { Outcome::Unresolved };
            Ok(Observation { outcome, ending, time: Duration::from_secs(1) })
        }
    }

    #[test]
    fn a_timeout_among_others_is_tested_again_alone() {
        let busy = Busy { running: AtomicUsize::new(0), together: Barrier::new(2) };
        let alone = Alone::new(&busy);
        let stop = CancelToken::new().unwrap();
        let outcomes = thread::scope(|scope| {
            let test = || scope.spawn(|| alone.test(b"x", &stop).unwrap());
            let (one, two) = (test(), test());
            [one.join().unwrap(), two.join().unwrap()]
        });
        let reproduced = outcomes.iter().filter(|seen| seen.outcome == Outcome::Fail).count();
        assert_eq!(reproduced, 1, "the third run, the first one alone");
        assert!(outcomes.iter().all(|seen| seen.time == Duration::from_secs(2)));
    }
}
