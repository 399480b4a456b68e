//! The answers of a run: a candidate is known by its content, whichever session of the run asks
//! about it; what is known is not tested again, and what is tested is recorded. The same holds for
//! what somebody says who is asked something that is no test.
//!
//! Hides the difference between fresh, resumed and replayed runs.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use minirepro_engine::{Outcome, Said};

use crate::journal::format::{Answer, Digest, Record};
use crate::journal::journal::{Journal, PreviousRun};
use crate::{CancelToken, ConsultError, Observation, Oracle, OracleError, TestEnd};

/// The answers of a run. A candidate has one answer in a run: the first that it got. If that was a
/// worker's, it may have another one when workers are not believed.
///
/// May be used by several threads at a time.
#[derive(Debug)]
pub struct AnswerStore {
    inner: Mutex<Inner>,
    /// Whether a candidate without a known answer must not be tested.
    is_replay: bool,
}

#[derive(Debug, Default)]
struct Inner {
    /// The answers of workers that this machine has not confirmed.
    unconfirmed: HashMap<Digest, Known>,
    /// All other answers.
    own: HashMap<Digest, Known>,
    /// Whether answers of workers do not count. Then it is as if nobody knew them: a wrong one that
    /// a candidate does not reproduce would let a certificate say more than is true.
    doubts_workers: bool,
    /// What proposers said in the previous run and were not asked again so far, in order.
    said: VecDeque<Said>,
    journal: Option<Journal>,
    /// How many answers of the previous run were given so far.
    reused: u64,
}

#[derive(Clone, Debug)]
struct Known {
    answer: Answer,
    /// Whether it is of the previous run, and was not asked for again so far.
    is_old: bool,
}

/// An oracle that looks answers up in a store before it tests, and records them.
pub struct RecordingOracle<'a> {
    store: &'a AnswerStore,
    oracle: &'a dyn Oracle,
    is_of_workers: bool,
}

/// What a proposer has said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What it has said.
    pub said: Said,
    /// Whether it has said it now, not in the run that goes on.
    pub is_new: bool,
}

impl AnswerStore {
    /// Returns a store that knows the answers of the previous run, if one goes on. New answers go
    /// to the journal. Linear in the answers of the previous run.
    pub fn new(previous: Option<&PreviousRun>, journal: Option<Journal>) -> Self {
        let mut inner = Inner { journal, ..Inner::default() };
        if let Some(previous) = previous {
            inner.said = previous.said.iter().cloned().collect();
            for answer in &previous.answers {
                // If there are two, the first was the one that counted.
                let known = Known { answer: answer.clone(), is_old: true };
                inner.of(answer.unconfirmed).entry(answer.candidate.clone()).or_insert(known);
            }
        }
        Self { inner: Mutex::new(inner), is_replay: false }
    }

    /// Returns a store for deciding a run again by its journal alone: no test may be run.
    pub fn replayed(previous: &PreviousRun) -> Self {
        Self { is_replay: true, ..Self::new(Some(previous), None) }
    }

    /// Sets whether answers of workers count from now on that this machine has not confirmed, also
    /// those that were given before.
    pub fn believe_workers(&self, believes: bool) {
        self.inner().doubts_workers = !believes;
    }

    /// Returns whether only a worker has answered about a candidate, given as XXH3-128 of its
    /// bytes.
    pub fn is_unconfirmed(&self, candidate: u128) -> bool {
        let (inner, candidate) = (self.inner(), Digest::from(candidate));
        inner.unconfirmed.contains_key(&candidate) && !inner.own.contains_key(&candidate)
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

    /// Returns what somebody says who is asked something: what it said in the run that goes on, as
    /// far as that is recorded; then it is asked, and its answer recorded.
    ///
    /// # Errors
    /// If there is no answer since the run has to end, or nobody may be asked.
    pub fn consult(&self, ask: impl FnOnce() -> Option<Said>) -> Result<Heard, ConsultError> {
        let before = self.inner().said.pop_front();
        if let Some(said) = before {
            return Ok(Heard { said, is_new: false });
        }
        if self.is_replay {
            return Err(OracleError::JournalExhausted.into());
        }
        let said = ask().ok_or(ConsultError::Stopped)?;
        self.inner().add(Record::Said(said.clone()));
        Ok(Heard { said, is_new: true })
    }

    /// Records the answer of a test that has been run for what it says, unless there is one.
    pub fn note(&self, candidate: &[u8], seen: &Observation) {
        let digest = Digest::of(candidate);
        let mut inner = self.inner();
        if inner.lookup(&digest).is_none() {
            inner.record(Answer::of(digest, seen));
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn of(&mut self, unconfirmed: bool) -> &mut HashMap<Digest, Known> {
        if unconfirmed { &mut self.unconfirmed } else { &mut self.own }
    }

    /// Returns the known answer to a candidate: of this run, or the previous one.
    fn lookup(&mut self, candidate: &Digest) -> Option<Answer> {
        let of_workers = self.unconfirmed.get_mut(candidate).filter(|_| !self.doubts_workers);
        let known = of_workers.or_else(|| self.own.get_mut(candidate))?;
        self.reused += u64::from(std::mem::take(&mut known.is_old));
        Some(known.answer.clone())
    }

    /// Records the answer of a test. Returns the answer that counts: an earlier one if another
    /// thread has recorded the same candidate meanwhile.
    fn record(&mut self, answer: Answer) -> Answer {
        if let Some(earlier) = self.own.get(&answer.candidate) {
            return earlier.answer.clone();
        }
        self.add(Record::Answer(answer.clone()));
        let known = Known { answer: answer.clone(), is_old: false };
        self.of(answer.unconfirmed).insert(answer.candidate.clone(), known);
        answer
    }

    fn add(&mut self, record: Record) {
        if let Some(journal) = &mut self.journal {
            journal.add(&record);
        }
    }
}

impl Oracle for RecordingOracle<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let digest = Digest::of(candidate);
        let known = self.store.inner().lookup(&digest);
        if let Some(answer) = known {
            return Ok(observation(&answer));
        }
        if self.store.is_replay {
            return Err(OracleError::JournalExhausted);
        }
        let seen = self.oracle.test(candidate, stop)?;
        if seen.ending == TestEnd::Stopped {
            return Ok(seen);
        }
        let unconfirmed = self.is_of_workers && seen.outcome != Outcome::Fail;
        let answer = Answer { unconfirmed, ..Answer::of(digest, &seen) };
        let answer = self.store.inner().record(answer);
        Ok(Observation { outcome: answer.outcome, ..seen })
    }

    fn inner(&self) -> Option<&dyn Oracle> {
        Some(self.oracle)
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
mod tests;
