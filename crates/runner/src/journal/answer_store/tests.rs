//! What is known is not tested again, and what is tested is recorded.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::journal::format::{Fingerprint, Header};

fn answer(text: &[u8], outcome: Outcome, unconfirmed: bool) -> Answer {
    let candidate = Digest::of(text);
    Answer { candidate, outcome, seconds: 1.0, timeout: false, unconfirmed }
}

/// Asks for candidates as a run does whose result is certified without its workers, which
/// refuse everything, though all but `a` reproduces.
fn run(store: &AnswerStore) -> Vec<Outcome> {
    let mut all = Vec::new();
    for believes in [true, false, true] {
        store.believe_workers(believes);
        for text in [b"a", b"b"] {
            let outcome = match text {
                b"b" if !believes => Outcome::Fail,
                _ => Outcome::Pass,
            };
            let known = store.inner().lookup(&Digest::of(text));
            all.push(
                known.unwrap_or_else(|| store.inner().record(answer(text, outcome, believes))),
            );
        }
    }
    all.iter().map(|answer| answer.outcome).collect()
}

#[test]
fn what_a_worker_says_is_tested_again_and_a_journal_repeats_both_answers() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("journal");
    let (mut journal, _) = Journal::open(&place).unwrap();
    let facts = Fingerprint::new();
    let header =
        Header::new("1", std::path::Path::new("/"), &[], b"", facts.clone(), facts.clone());
    journal.begin(header, b"").unwrap();
    let store = AnswerStore::new(None, Some(journal));
    let (yes, no) = (Outcome::Fail, Outcome::Pass);
    assert_eq!(run(&store), [no, no, no, yes, no, no]);
    drop(store);
    let past = PreviousRun::read(&place).unwrap();
    assert_eq!(run(&AnswerStore::replayed(&past)), [no, no, no, yes, no, no]);
}

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
    let outcomes = (0..count).map(|n| oracle.test(&[b'0' + n], &stop).unwrap().outcome).collect();
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
