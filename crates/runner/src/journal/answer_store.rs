//! The answers of a run: looks an answer up, or records a new one.
//!
//! Hides the difference between fresh, resumed and replayed runs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use minirepro_engine::Said;

use crate::journal::format::{Answer, Digest, Skip};
use crate::journal::journal::{Journal, PreviousRun};

/// The answers of a run. A candidate has one answer in a run: the first that it got. If that was a
/// worker's, it may have another one when workers are not believed.
///
/// May be used by several threads at a time.
#[derive(Debug)]
pub struct AnswerStore {
    inner: Mutex<Inner>,
    is_replay: bool,
}

#[derive(Debug)]
struct Inner {
    /// The answers of workers in this run or the previous one, which this machine has not
    /// confirmed.
    unconfirmed: HashMap<Digest, Answer>,
    /// Which of them are of the previous run and were not asked for again so far.
    previous_unconfirmed: HashSet<Digest>,
    /// Whether they count. Otherwise it is as if nobody knew them: a wrong one that a candidate
    /// does not reproduce would let a certificate say more than is true.
    believes_workers: bool,
    /// The other answers that were given in this run so far.
    given: HashMap<Digest, Answer>,
    /// The answers of the previous run that were not asked for again so far.
    previous: HashMap<Digest, Answer>,
    /// What proposers said in the previous run and were not asked again so far, in order.
    said: VecDeque<Said>,
    journal: Option<Journal>,
    /// How many answers of the previous run were given so far.
    reused: u64,
}

impl AnswerStore {
    /// Returns a store that knows the answers of the previous run, if one goes on. New answers go
    /// to the journal. Linear in the answers of the previous run.
    pub fn new(previous: Option<&PreviousRun>, journal: Option<Journal>) -> Self {
        let mut answers = HashMap::new();
        let mut unconfirmed = HashMap::new();
        for answer in previous.into_iter().flat_map(|run| &run.answers) {
            // If there are two, the first was the one that counted.
            let known = if answer.unconfirmed { &mut unconfirmed } else { &mut answers };
            known.entry(answer.candidate.clone()).or_insert_with(|| answer.clone());
        }
        let inner = Inner {
            previous_unconfirmed: unconfirmed.keys().cloned().collect(),
            unconfirmed,
            believes_workers: true,
            given: HashMap::new(),
            previous: answers,
            said: previous.map(|run| run.said.iter().cloned().collect()).unwrap_or_default(),
            journal,
            reused: 0,
        };
        Self { inner: Mutex::new(inner), is_replay: false }
    }

    /// Returns a store for deciding a run again by its journal alone: no test may be run.
    pub fn replayed(previous: &PreviousRun) -> Self {
        Self { is_replay: true, ..Self::new(Some(previous), None) }
    }

    /// Sets whether answers of workers count from now on that this machine has not confirmed, also
    /// those that were given before.
    pub fn believe_workers(&self, believes: bool) {
        self.inner().believes_workers = believes;
    }

    /// Returns whether only a worker has answered about a candidate, given as XXH3-128 of its
    /// bytes.
    pub fn is_unconfirmed(&self, candidate: u128) -> bool {
        let (inner, candidate) = (self.inner(), Digest::from(candidate));
        inner.unconfirmed.contains_key(&candidate) && !inner.given.contains_key(&candidate)
    }

    /// Returns whether there is an answer that only a worker has given.
    pub fn has_unconfirmed(&self) -> bool {
        !self.inner().unconfirmed.is_empty()
    }

    /// Returns how many answers of the previous run were given so far, which needed no test.
    pub fn reused(&self) -> u64 {
        self.inner().reused
    }

    /// Returns the journal, to which all answers were written.
    pub fn into_journal(self) -> Option<Journal> {
        self.inner.into_inner().unwrap_or_else(PoisonError::into_inner).journal
    }

    /// Returns whether a candidate without a known answer must not be tested.
    pub(crate) fn is_replay(&self) -> bool {
        self.is_replay
    }

    /// Records that the rest of a pass was left out after as many tests of the run.
    pub fn skip(&self, tests: u64) {
        if let Some(journal) = &mut self.inner().journal {
            journal.skip(Skip { tests });
        }
    }

    /// Returns the known answer to a candidate: of this run, or the previous one.
    pub(crate) fn lookup(&self, candidate: &Digest) -> Option<Answer> {
        self.inner().lookup(candidate)
    }

    /// Records the answer of a test. Returns the answer that counts: an earlier one if another
    /// thread has recorded the same candidate meanwhile.
    pub(crate) fn record(&self, answer: Answer) -> Answer {
        self.inner().record(answer)
    }

    /// Takes the next of what proposers said in the previous run.
    pub(crate) fn said_before(&self) -> Option<Said> {
        self.inner().said.pop_front()
    }

    /// Records what a proposer has said.
    pub(crate) fn record_said(&self, said: Said) {
        if let Some(journal) = &mut self.inner().journal {
            journal.said(said);
        }
    }

    /// Brings everything safely to the disk, if that is due. It may take some milliseconds.
    pub(crate) fn sync_if_due(&self) {
        if let Some(journal) = &mut self.inner().journal {
            journal.sync_if_due();
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn lookup(&mut self, candidate: &Digest) -> Option<Answer> {
        if let Some(answer) = self.unconfirmed.get(candidate).filter(|_| self.believes_workers) {
            self.reused += u64::from(self.previous_unconfirmed.remove(candidate));
            return Some(answer.clone());
        }
        if let Some(answer) = self.given.get(candidate) {
            return Some(answer.clone());
        }
        let answer = self.previous.remove(candidate)?;
        self.reused += 1;
        self.given.insert(candidate.clone(), answer.clone());
        Some(answer)
    }

    fn record(&mut self, answer: Answer) -> Answer {
        if let Some(earlier) = self.given.get(&answer.candidate) {
            return earlier.clone();
        }
        if let Some(journal) = &mut self.journal {
            journal.answer(answer.clone());
        }
        let known = if answer.unconfirmed { &mut self.unconfirmed } else { &mut self.given };
        known.insert(answer.candidate.clone(), answer.clone());
        answer
    }
}

#[cfg(test)]
mod tests {
    use minirepro_engine::Outcome;

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
                let known = store.lookup(&Digest::of(text));
                all.push(known.unwrap_or_else(|| store.record(answer(text, outcome, believes))));
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
}
