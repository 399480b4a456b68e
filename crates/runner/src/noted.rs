//! A test whose answers are written down as they come, and which is not run where the answer is known.
//! For runs of several sessions: what they ask is known by its content, whoever asks. Knows journals and
//! caches; decides nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use minirepro_engine::Outcome;

use crate::cache::Cache;
use crate::journal::{Journal, Past};
use crate::records::{Answer, Digest};
use crate::{Ending, Observation, Oracle, OracleError, Recalled, Stop};

/// The answers of a run.
#[derive(Debug)]
pub struct Notes(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    known: HashMap<Digest, Answer>,
    /// Of the run that was interrupted, those that were not asked for again.
    past: HashMap<Digest, Answer>,
    journal: Option<Journal>,
    cache: Option<Cache>,
    recalled: Recalled,
    /// No test may be run.
    is_replay: bool,
}

impl Notes {
    /// Answers of `past` and of the cache need no test; new ones go to the journal and to the cache.
    pub fn new(past: Option<&Past>, journal: Option<Journal>, cache: Option<Cache>) -> Self {
        let mut answers = HashMap::new();
        for answer in past.into_iter().flat_map(|past| &past.answers) {
            // Should there be two, the first one was the one that counted.
            answers.entry(answer.candidate.clone()).or_insert_with(|| answer.clone());
        }
        let (known, recalled, is_replay) = (HashMap::new(), Recalled::default(), false);
        Self(Mutex::new(Inner { known, past: answers, journal, cache, recalled, is_replay }))
    }

    /// The answers of a run that is decided again: what it does not know ends it
    /// ([`OracleError::Unknown`]).
    pub fn replayed(past: &Past) -> Self {
        let mut notes = Self::new(Some(past), None, None);
        notes.0.get_mut().unwrap_or_else(PoisonError::into_inner).is_replay = true;
        notes
    }

    /// The same test, with these answers. A candidate has one answer in a run: the first that it got.
    pub fn oracle<'a>(&'a self, oracle: &'a dyn Oracle) -> Noted<'a> {
        Noted { notes: self, oracle }
    }

    /// How many questions needed no test.
    pub fn recalled(&self) -> Recalled {
        self.inner().recalled
    }

    /// What the answers were written to.
    pub fn into_parts(self) -> (Option<Journal>, Option<Cache>) {
        let inner = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (inner.journal, inner.cache)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn answer(&mut self, digest: &Digest) -> Option<Answer> {
        if let Some(answer) = self.known.get(digest) {
            return Some(answer.clone());
        }
        if let Some(answer) = self.past.remove(digest) {
            self.recalled.journal += 1;
            self.known.insert(digest.clone(), answer.clone());
            return Some(answer);
        }
        let answer = self.cache.as_ref().and_then(|cache| cache.get(digest))?.clone();
        self.recalled.cache += 1;
        // So that the journal alone decides the run.
        self.journal.iter_mut().for_each(|journal| journal.answer(answer.clone()));
        self.known.insert(digest.clone(), answer.clone());
        Some(answer)
    }

    fn note(&mut self, answer: Answer) {
        self.cache.iter_mut().for_each(|cache| cache.keep(&answer));
        self.journal.iter_mut().for_each(|journal| journal.answer(answer.clone()));
        self.known.insert(answer.candidate.clone(), answer);
    }
}

/// An oracle that takes notes.
pub struct Noted<'a> {
    notes: &'a Notes,
    oracle: &'a dyn Oracle,
}

impl std::fmt::Debug for Noted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Noted").field("notes", &self.notes).finish_non_exhaustive()
    }
}

impl Oracle for Noted<'_> {
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError> {
        let digest = Digest::of(candidate);
        {
            let mut inner = self.notes.inner();
            if let Some(answer) = inner.answer(&digest) {
                return Ok(seen(&answer));
            }
            if inner.is_replay {
                return Err(OracleError::Unknown);
            }
        }
        let seen = self.oracle.test(candidate, stop)?;
        if seen.ending != Ending::Stopped {
            let mut inner = self.notes.inner();
            // Another thread may have asked the same meanwhile: one answer counts.
            if let Some(known) = inner.known.get(&digest) {
                let outcome: Outcome = known.outcome.into();
                return Ok(Observation { outcome, ..seen });
            }
            inner.note(Answer::of(digest, &seen));
        }
        Ok(seen)
    }

    fn explain(&self, candidate: &[u8], stop: &Stop) -> String {
        self.oracle.explain(candidate, stop)
    }

    fn prepare(&self, candidates: &[Arc<[u8]>]) {
        self.oracle.prepare(candidates);
    }
}

/// A test that took no time now.
fn seen(answer: &Answer) -> Observation {
    let outcome = answer.outcome.into();
    let ending = match outcome {
        _ if answer.timeout => Ending::TimedOut,
        Outcome::Fail => Ending::Exited(0),
        Outcome::Pass => Ending::Exited(1),
        Outcome::Unresolved => Ending::Exited(125),
    };
    Observation { outcome, ending, time: Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::records::{Facts, Header};

    /// Fails the first time, then passes: no steady test.
    struct Once(AtomicUsize);

    impl Oracle for Once {
        fn test(&self, candidate: &[u8], _stop: &Stop) -> Result<Observation, OracleError> {
            let first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
            let (outcome, ending) = match (first, candidate) {
                (_, b"late") => (Outcome::Unresolved, Ending::TimedOut),
                (true, _) => (Outcome::Fail, Ending::Exited(0)),
                (false, _) => (Outcome::Pass, Ending::Exited(1)),
            };
            Ok(Observation { outcome, ending, time: Duration::from_secs(1) })
        }
    }

    #[test]
    fn an_answer_counts_for_the_whole_run_and_for_the_one_that_goes_on() {
        let place = tempfile::tempdir().unwrap();
        let stop = Stop::new().unwrap();
        let (mut journal, _) = Journal::open(place.path()).unwrap();
        let facts = Facts::new();
        let header =
            Header::new("1", std::path::Path::new("/"), &[], b"", facts.clone(), facts.clone());
        journal.begin(header, b"").unwrap();
        let notes = Notes::new(None, Some(journal), None);
        let once = Once(AtomicUsize::new(0));
        let ask = |notes: &Notes, text: &[u8]| {
            notes.oracle(&once).test(text, &stop).map(|seen| (seen.outcome, seen.ending))
        };
        for text in [b"a", b"a", b"b"] {
            let _ = ask(&notes, text).unwrap();
        }
        assert_eq!(ask(&notes, b"a").unwrap().0, Outcome::Fail, "the first answer");
        assert_eq!(ask(&notes, b"late").unwrap().1, Ending::TimedOut);
        assert_eq!(once.0.load(Ordering::SeqCst), 3);
        drop(notes);

        let (journal, past) = Journal::open(place.path()).unwrap();
        let past = past.unwrap();
        let notes = Notes::new(Some(&past), Some(journal), None);
        assert_eq!(ask(&notes, b"a").unwrap().0, Outcome::Fail);
        assert_eq!(ask(&notes, b"late").unwrap().1, Ending::TimedOut);
        assert_eq!((notes.recalled().journal, once.0.load(Ordering::SeqCst)), (2, 3));
        ask(&notes, b"c").unwrap();
        drop(notes);

        let past = Past::read(place.path()).unwrap();
        assert_eq!(past.answers(), 4);
        let replayed = Notes::replayed(&past);
        assert_eq!(ask(&replayed, b"c").unwrap().0, Outcome::Pass);
        assert!(matches!(ask(&replayed, b"d"), Err(OracleError::Unknown)));
    }
}
