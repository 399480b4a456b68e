//! How often a candidate is tested before its answer counts: until the failure shows, until its
//! rate is known, and once more alone if a test was late, since time limits must not depend on how
//! many tests run at the same time.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use minirepro_engine::Outcome;

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

/// The highest probability of each of the two wrong decisions.
pub const ERROR: f64 = 0.01;
/// Rates between this part of the wanted rate and the wanted rate may be decided either way.
const INDIFFERENCE: f64 = 0.5;
/// The number of tests after which an undecided candidate is refused.
const MOST: u32 = 1000;

/// How often a candidate is tested before its answer counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RetryPolicy {
    /// Until it reproduces, at most this many times.
    Repeat(u32),
    /// Until it is clear whether it reproduces in at least this part of its tests (0 … 1).
    Rate(f64),
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::Repeat(1)
    }
}

impl RetryPolicy {
    /// Returns the same test, repeated by this policy.
    pub fn oracle(self, oracle: &dyn Oracle) -> Box<dyn Oracle + '_> {
        match self {
            Self::Repeat(times) => Box::new(Repeat::new(oracle, times)),
            Self::Rate(rate) => Box::new(AtRate { oracle, rate }),
        }
    }
}

/// Tests a candidate until its rate is known to be at least the wanted one, or less than half of
/// it.
///
/// This is the sequential probability ratio test (Wald 1945), with [`ERROR`] for both ways to be
/// wrong. Of all tests with these errors it needs the fewest trials on average (Wald & Wolfowitz
/// 1948).
struct AtRate<'a> {
    oracle: &'a dyn Oracle,
    rate: f64,
}

/// The state of one sequential test: the logarithm of the likelihood ratio.
struct Ratio {
    high: f64,
    low: f64,
    log: f64,
}

impl Ratio {
    fn new(rate: f64) -> Self {
        Self { high: rate, low: rate * INDIFFERENCE, log: 0.0 }
    }

    fn see(&mut self, reproduced: bool) {
        let of = |p: f64| if reproduced { p } else { 1.0 - p };
        self.log += (of(self.high) / of(self.low)).ln();
    }

    /// Returns whether the rate is high enough, as soon as that is clear.
    fn verdict(&self) -> Option<bool> {
        let bound = ((1.0 - ERROR) / ERROR).ln();
        (self.log.abs() >= bound).then_some(self.log > 0.0)
    }
}

impl Oracle for AtRate<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let mut ratio = Ratio::new(self.rate);
        let mut all = self.oracle.test(candidate, stop)?;
        let mut refused: Option<Observation> = None;
        let mut last = all.clone();
        for _ in 1..MOST {
            ratio.see(last.outcome == Outcome::Fail);
            if last.outcome != Outcome::Fail {
                refused = Some(last.clone());
            }
            if last.ending == TestEnd::Stopped || ratio.verdict().is_some() {
                break;
            }
            last = self.oracle.test(candidate, stop)?;
            all.time += last.time;
        }
        let time = all.time;
        if last.ending == TestEnd::Stopped {
            return Ok(Observation { time, ..last });
        }
        match (ratio.verdict(), refused) {
            (Some(true), _) => Ok(Observation { outcome: Outcome::Fail, time, ..last }),
            // The finding of a refused test stands for the refusal.
            (_, Some(refused)) => Ok(Observation { time, ..refused }),
            (_, None) => Ok(Observation { outcome: Outcome::Unresolved, time, ..last }),
        }
    }

    fn inner(&self) -> Option<&dyn Oracle> {
        Some(self.oracle)
    }
}

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

#[cfg(test)]
mod rate_tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;

    /// Reproduces with a given probability, by a generator (SplitMix64) with a fixed seed.
    struct Random(f64, Mutex<u64>);

    impl Oracle for Random {
        fn test(&self, _candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
            let mut state = self.1.lock().unwrap();
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut x = *state;
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            let reproduced = ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
            let (outcome, ending) = if reproduced < self.0 {
                (Outcome::Fail, TestEnd::Exited(0))
            } else {
                (Outcome::Pass, TestEnd::Exited(1))
            };
            Ok(Observation { outcome, ending, time: Duration::from_secs(1) })
        }
    }

    /// Returns how many of 2000 candidates with this probability are accepted, and the tests for
    /// each.
    fn accepted(probability: f64, rate: f64) -> (u32, u64) {
        let random = Random(probability, Mutex::new(7));
        let oracle = RetryPolicy::Rate(rate).oracle(&random);
        let stop = CancelToken::new().unwrap();
        let seen: Vec<Observation> = (0..2000).map(|_| oracle.test(b"x", &stop).unwrap()).collect();
        let accepted = seen.iter().filter(|seen| seen.outcome == Outcome::Fail).count();
        let tests: u64 = seen.iter().map(|seen| seen.time.as_secs()).sum();
        (u32::try_from(accepted).unwrap(), tests / 2000)
    }

    #[test]
    fn candidates_are_told_apart_by_their_rates() {
        for (probability, rate, expected, most_tests) in [
            (0.5, 0.5, 1980..=2000, 40),
            (0.9, 0.5, 1999..=2000, 12),
            (0.25, 0.5, 0..=20, 40),
            (0.0, 0.5, 0..=0, 12),
            (1.0, 0.9, 2000..=2000, 7),
            (0.0, 0.9, 0..=0, 3),
            (0.0, 0.1, 0..=0, 100),
        ] {
            let (accepted, tests) = accepted(probability, rate);
            assert!(expected.contains(&accepted), "{probability} at {rate}: {accepted} of 2000");
            assert!(tests <= most_tests, "{probability} at {rate}: {tests} tests each");
        }
    }
}

#[cfg(test)]
mod repeat_tests {
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
