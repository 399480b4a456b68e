//! A test in front of which the answer store stands: what is known is not tested again, and what is
//! tested is recorded.
//!
//! A candidate is known by its content, whichever session of the run asks about it.

use std::time::Duration;

use minirepro_engine::Outcome;

use crate::journal::answer_store::AnswerStore;
use crate::journal::format::{Answer, Digest};
use crate::{CancelToken, Observation, Oracle, OracleError, TestEnd};

/// An oracle that looks answers up in a store before it tests, and records them.
pub struct RecordingOracle<'a> {
    store: &'a AnswerStore,
    oracle: &'a dyn Oracle,
    is_of_workers: bool,
}

impl AnswerStore {
    /// Returns the same oracle with the answers of this store. Where no test may be run, it ends
    /// with [`OracleError::JournalExhausted`] instead.
    pub fn oracle<'a>(&'a self, oracle: &'a dyn Oracle) -> RecordingOracle<'a> {
        RecordingOracle { store: self, oracle, is_of_workers: false }
    }

    /// Returns the same for a test that others run, who are only known to be right about what
    /// reproduces.
    pub fn oracle_of_workers<'a>(&'a self, oracle: &'a dyn Oracle) -> RecordingOracle<'a> {
        RecordingOracle { store: self, oracle, is_of_workers: true }
    }
}

impl Oracle for RecordingOracle<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let digest = Digest::of(candidate);
        if let Some(answer) = self.store.lookup(&digest) {
            return Ok(observation(&answer));
        }
        if self.store.is_replay() {
            return Err(OracleError::JournalExhausted);
        }
        let seen = self.oracle.test(candidate, stop)?;
        if seen.ending == TestEnd::Stopped {
            return Ok(seen);
        }
        let unconfirmed = self.is_of_workers && seen.outcome != Outcome::Fail;
        let answer = self.store.record(Answer { unconfirmed, ..Answer::of(digest, &seen) });
        Ok(Observation { outcome: answer.outcome, ..seen })
    }

    fn inner(&self) -> Option<&dyn Oracle> {
        Some(self.oracle)
    }

    fn use_pause(&self) {
        // While a test runs is a good time to wait for the disk.
        self.store.sync_if_due();
        self.oracle.use_pause();
    }
}

/// Returns what a test with this answer would show, had it taken no time.
fn observation(answer: &Answer) -> Observation {
    let outcome = answer.outcome;
    let ending = match outcome {
        _ if answer.timeout => TestEnd::TimedOut,
        Outcome::Fail => TestEnd::Exited(0),
        Outcome::Pass => TestEnd::Exited(1),
        Outcome::Unresolved => TestEnd::Exited(125),
    };
    Observation { outcome, ending, time: Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::journal::format::{Fingerprint, Header};
    use crate::journal::journal::{Journal, PreviousRun};

    /// Fails the first time, then passes: no steady test.
    struct Once(AtomicUsize);

    impl Oracle for Once {
        fn test(&self, candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
            let first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
            let (outcome, ending) = match (first, candidate) {
                (_, b"late") => (Outcome::Unresolved, TestEnd::TimedOut),
                (true, _) => (Outcome::Fail, TestEnd::Exited(0)),
                (false, _) => (Outcome::Pass, TestEnd::Exited(1)),
            };
            Ok(Observation { outcome, ending, time: Duration::from_secs(1) })
        }
    }

    #[test]
    fn an_answer_counts_for_the_whole_run_and_for_the_one_that_goes_on() {
        let place = tempfile::tempdir().unwrap();
        let stop = CancelToken::new().unwrap();
        let (mut journal, _) = Journal::open(place.path()).unwrap();
        let facts = Fingerprint::new();
        let header =
            Header::new("1", std::path::Path::new("/"), &[], b"", facts.clone(), facts.clone());
        journal.begin(header, b"").unwrap();
        let store = AnswerStore::new(None, Some(journal));
        let once = Once(AtomicUsize::new(0));
        let ask = |store: &AnswerStore, text: &[u8]| {
            store.oracle(&once).test(text, &stop).map(|seen| (seen.outcome, seen.ending))
        };
        for text in [b"a", b"a", b"b"] {
            let _ = ask(&store, text).unwrap();
        }
        assert_eq!(ask(&store, b"a").unwrap().0, Outcome::Fail, "the first answer");
        assert_eq!(ask(&store, b"late").unwrap().1, TestEnd::TimedOut);
        assert_eq!(once.0.load(Ordering::SeqCst), 3);
        drop(store);

        let (journal, past) = Journal::open(place.path()).unwrap();
        let past = past.unwrap();
        let store = AnswerStore::new(Some(&past), Some(journal));
        assert_eq!(ask(&store, b"a").unwrap().0, Outcome::Fail);
        assert_eq!(ask(&store, b"late").unwrap().1, TestEnd::TimedOut);
        assert_eq!((store.reused(), once.0.load(Ordering::SeqCst)), (2, 3));
        ask(&store, b"c").unwrap();
        drop(store);

        let past = PreviousRun::read(place.path()).unwrap();
        assert_eq!(past.answers(), 4);
        let replayed = AnswerStore::replayed(&past);
        assert_eq!(ask(&replayed, b"c").unwrap().0, Outcome::Pass);
        assert!(matches!(ask(&replayed, b"d"), Err(OracleError::JournalExhausted)));
    }

    /// Answers for the numbers from 0 to 9 as they say: fail, pass, or time up.
    struct Counting(AtomicUsize);

    fn number(candidate: &[u8]) -> u8 {
        candidate[0] - b'0'
    }

    impl Oracle for Counting {
        fn test(&self, candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            let (outcome, ending) = match number(candidate) % 3 {
                0 => (Outcome::Fail, TestEnd::Exited(0)),
                1 => (Outcome::Pass, TestEnd::Exited(1)),
                _ => (Outcome::Unresolved, TestEnd::TimedOut),
            };
            Ok(Observation { outcome, ending, time: Duration::from_secs(1) })
        }
    }

    /// Asks about the first `count` numbers. Returns the outcomes, and how many tests they took.
    fn ask(store: &AnswerStore, count: u8) -> (Vec<Outcome>, usize) {
        let stop = CancelToken::new().unwrap();
        let counting = Counting(AtomicUsize::new(0));
        let oracle = store.oracle(&counting);
        let outcomes =
            (0..count).map(|n| oracle.test(&[b'0' + n], &stop).unwrap().outcome).collect();
        (outcomes, counting.0.into_inner())
    }

    fn begun(directory: &std::path::Path) -> Journal {
        let (mut journal, _) = Journal::open(directory).unwrap();
        let facts = Fingerprint::new();
        let root = std::path::Path::new("/");
        journal.begin(Header::new("1", root, &[], b"", facts.clone(), facts), b"").unwrap();
        journal
    }

    #[test]
    fn a_run_that_died_after_any_test_goes_on_with_the_next_one() {
        let undisturbed = ask(&AnswerStore::new(None, None), 10).0;
        for killed in 0..=10 {
            let place = tempfile::tempdir().unwrap();
            drop(ask(&AnswerStore::new(None, Some(begun(place.path()))), killed));

            let past = PreviousRun::read(place.path()).unwrap();
            let (replayed, tests) = ask(&AnswerStore::replayed(&past), killed);
            assert_eq!((&replayed[..], tests), (&undisturbed[..killed.into()], 0));

            let (journal, past) = Journal::open(place.path()).unwrap();
            let store = AnswerStore::new(past.as_ref(), Some(journal));
            assert_eq!(ask(&store, 10), (undisturbed.clone(), usize::from(10 - killed)));
            assert_eq!(store.reused(), u64::from(killed));
        }
    }
}
