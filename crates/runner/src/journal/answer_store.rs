//! The answers of a run: looks an answer up, or records a new one.
//!
//! Hides the difference between fresh, resumed and replayed runs. Invariant: the journal alone must
//! reproduce the run, so answers from the cache are copied into it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::journal::cache::Cache;
use crate::journal::format::{Answer, Digest, Skip, Told};
use crate::journal::journal::{Journal, PreviousRun};
use crate::journal::said::SaidRecord;

/// How many answers needed no test, by where they came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReusedAnswers {
    /// From the journal.
    pub journal: u64,
    /// From the cache.
    pub cache: u64,
}

/// Which unverified answers are believed: those from the cache, or from one worker alone. The
/// others are as if nobody knew them. A wrong one that a candidate does not reproduce would let a
/// certificate say more than is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// All.
    All,
    /// Those that say that a candidate reproduces: what is accepted by them is tested once more in
    /// the end.
    Reproduced,
    /// None.
    Nothing,
}

impl Belief {
    fn holds(self, answer: &Answer) -> bool {
        match self {
            Belief::All => true,
            Belief::Reproduced => answer.outcome == Told::Reproduced,
            Belief::Nothing => false,
        }
    }
}

/// The answers of a run. A candidate has one answer in a run: the first that it got.
///
/// May be used by several threads at a time.
#[derive(Debug)]
pub struct AnswerStore {
    inner: Mutex<Inner>,
    is_replay: bool,
}

#[derive(Debug)]
struct Inner {
    /// The unverified answers that were given in this run or the previous one.
    unverified: HashMap<Digest, Answer>,
    /// Which of them are of the previous run and were not asked for again so far.
    previous_unverified: HashSet<Digest>,
    /// Of the cache.
    believed_of_cache: Belief,
    /// Of workers.
    believed_of_workers: Belief,
    /// The other answers that were given in this run so far.
    given: HashMap<Digest, Answer>,
    /// The answers of the previous run that were not asked for again so far.
    previous: HashMap<Digest, Answer>,
    /// What proposers said in the previous run and were not asked again so far, in order.
    said: VecDeque<SaidRecord>,
    journal: Option<Journal>,
    cache: Option<Cache>,
    reused: ReusedAnswers,
}

impl AnswerStore {
    /// Returns a store that knows the answers of the previous run, if one goes on, and those of the
    /// cache. New answers go to the journal and to the cache. Linear in the answers of the previous
    /// run.
    pub fn new(
        previous: Option<&PreviousRun>,
        journal: Option<Journal>,
        cache: Option<Cache>,
    ) -> Self {
        let mut answers = HashMap::new();
        let mut unverified = HashMap::new();
        for answer in previous.into_iter().flat_map(|run| &run.answers) {
            // If there are two, the first was the one that counted.
            let known = if answer.is_unverified() { &mut unverified } else { &mut answers };
            known.entry(answer.candidate.clone()).or_insert_with(|| answer.clone());
        }
        let inner = Inner {
            previous_unverified: unverified.keys().cloned().collect(),
            unverified,
            believed_of_cache: Belief::All,
            believed_of_workers: Belief::All,
            given: HashMap::new(),
            previous: answers,
            said: previous.map(|run| run.said.iter().cloned().collect()).unwrap_or_default(),
            journal,
            cache,
            reused: ReusedAnswers::default(),
        };
        Self { inner: Mutex::new(inner), is_replay: false }
    }

    /// Returns a store for deciding a run again by its journal alone: no test may be run.
    pub fn replayed(previous: &PreviousRun) -> Self {
        Self { is_replay: true, ..Self::new(Some(previous), None, None) }
    }

    /// Sets which unverified answers are believed from now on, also of those that were given
    /// before.
    pub fn believe(&self, of_cache: Belief, of_workers: Belief) {
        let mut inner = self.inner();
        (inner.believed_of_cache, inner.believed_of_workers) = (of_cache, of_workers);
    }

    /// Returns whether the answer to a candidate, given as XXH3-128 of its bytes, is an unverified
    /// one that is not believed now.
    pub fn is_doubted(&self, candidate: u128) -> bool {
        let inner = self.inner();
        inner.unverified.get(&Digest::from(candidate)).is_some_and(|answer| !inner.believes(answer))
    }

    /// Returns whether there is an answer that only one worker has given.
    pub fn has_unconfirmed(&self) -> bool {
        self.inner().unverified.values().any(|answer| answer.unconfirmed)
    }

    /// Returns how many answers needed no test so far.
    pub fn reused(&self) -> ReusedAnswers {
        self.inner().reused
    }

    /// Returns the journal and the cache, to which all answers were written.
    pub fn into_parts(self) -> (Option<Journal>, Option<Cache>) {
        let inner = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        (inner.journal, inner.cache)
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

    /// Returns the known answer to a candidate: of this run, the previous one, or the cache.
    pub(crate) fn lookup(&self, candidate: &Digest) -> Option<Answer> {
        self.inner().lookup(candidate)
    }

    /// Records the answer of a test. Returns the answer that counts: an earlier one if another
    /// thread has recorded the same candidate meanwhile.
    pub(crate) fn record(&self, answer: Answer) -> Answer {
        self.inner().record(answer)
    }

    /// Takes the next of what proposers said in the previous run.
    pub(crate) fn said_before(&self) -> Option<SaidRecord> {
        self.inner().said.pop_front()
    }

    /// Records what a proposer has said.
    pub(crate) fn record_said(&self, said: SaidRecord) {
        if let Some(journal) = &mut self.inner().journal {
            journal.said(said);
        }
    }

    /// Brings everything safely to the disk, if that is due. It may take some milliseconds.
    pub(crate) fn sync_if_due(&self) {
        let mut inner = self.inner();
        if let Some(journal) = &mut inner.journal {
            journal.sync_if_due();
        }
        if let Some(cache) = &mut inner.cache {
            cache.sync_if_due();
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn lookup(&mut self, candidate: &Digest) -> Option<Answer> {
        if let Some(answer) = self.unverified.get(candidate).filter(|answer| self.believes(answer))
        {
            let answer = answer.clone();
            self.reused.journal += u64::from(self.previous_unverified.remove(candidate));
            return Some(answer);
        }
        if let Some(answer) = self.given.get(candidate) {
            return Some(answer.clone());
        }
        if let Some(answer) = self.previous.remove(candidate) {
            self.reused.journal += 1;
            self.given.insert(candidate.clone(), answer.clone());
            return Some(answer);
        }
        let answer = Answer { cached: true, ..self.cache.as_ref()?.get(candidate)?.clone() };
        if !self.believes(&answer) {
            return None;
        }
        self.reused.cache += 1;
        if let Some(journal) = &mut self.journal {
            journal.answer(answer.clone());
        }
        self.unverified.insert(candidate.clone(), answer.clone());
        Some(answer)
    }

    fn believes(&self, answer: &Answer) -> bool {
        let of_workers = !answer.unconfirmed || self.believed_of_workers.holds(answer);
        of_workers && (!answer.cached || self.believed_of_cache.holds(answer))
    }

    fn record(&mut self, answer: Answer) -> Answer {
        if let Some(earlier) = self.given.get(&answer.candidate) {
            return earlier.clone();
        }
        if let Some(cache) = &mut self.cache {
            cache.insert(&answer);
        }
        if let Some(journal) = &mut self.journal {
            journal.answer(answer.clone());
        }
        let known = if answer.unconfirmed { &mut self.unverified } else { &mut self.given };
        known.insert(answer.candidate.clone(), answer.clone());
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::format::{Fingerprint, Header};

    fn answer(text: &[u8], outcome: Told) -> Answer {
        let candidate = Digest::of(text);
        let (timeout, cached, unconfirmed) = (false, false, false);
        Answer { candidate, outcome, seconds: 1.0, timeout, cached, unconfirmed }
    }

    /// Returns a cache that knows these answers.
    fn cache(place: &std::path::Path, answers: &[Answer]) -> Cache {
        let mut cache = Cache::open(place, &Fingerprint::new()).unwrap();
        for answer in answers {
            cache.insert(answer);
        }
        drop(cache);
        Cache::open(place, &Fingerprint::new()).unwrap()
    }

    /// Asks for candidates as a run does that certifies its result without the cache: the test
    /// reproduces everything but what begins with `a`.
    fn run(store: &AnswerStore, candidates: &[&[u8]]) -> Vec<Told> {
        let mut all = Vec::new();
        for belief in [Belief::All, Belief::Reproduced, Belief::Nothing, Belief::All] {
            store.believe(belief, Belief::All);
            for text in candidates {
                let known = store.lookup(&Digest::of(text));
                let outcome = if text[0] == b'a' { Told::NotReproduced } else { Told::Reproduced };
                let told = known.unwrap_or_else(|| store.record(answer(text, outcome)));
                all.push(told.outcome);
            }
        }
        all
    }

    #[test]
    fn what_the_cache_says_is_tested_again_and_a_journal_repeats_both_answers() {
        let directory = tempfile::tempdir().unwrap();
        let kept = [
            answer(b"refused", Told::NotReproduced),
            answer(b"unclear", Told::Unresolved),
            answer(b"accepted", Told::Reproduced),
        ];
        let cache = cache(&directory.path().join("cache"), &kept);
        let place = directory.path().join("journal");
        let (mut journal, _) = Journal::open(&place).unwrap();
        let facts = Fingerprint::new();
        let header =
            Header::new("1", std::path::Path::new("/"), &[], b"", facts.clone(), facts.clone());
        journal.begin(header, b"").unwrap();
        let store = AnswerStore::new(None, Some(journal), Some(cache));
        let candidates: [&[u8]; 4] = [b"refused", b"unclear", b"accepted", b"new"];
        let told = run(&store, &candidates);
        let [believed, tested, all_tested, again] =
            [&told[..4], &told[4..8], &told[8..12], &told[12..]];
        assert_eq!(believed[..3], [Told::NotReproduced, Told::Unresolved, Told::Reproduced]);
        assert!(tested.iter().all(|outcome| *outcome == Told::Reproduced));
        assert_eq!(all_tested[2], Told::NotReproduced, "the cache was wrong about `accepted`");
        assert_eq!(believed, again, "the same question has the same answer");
        let hash = xxhash_rust::xxh3::xxh3_128;
        assert!(!store.is_doubted(hash(b"refused")));
        store.believe(Belief::Reproduced, Belief::All);
        assert!(store.is_doubted(hash(b"refused")) && !store.is_doubted(hash(b"new")));
        assert!(!store.is_doubted(hash(b"accepted")));
        drop(store);
        let past = PreviousRun::read(&place).unwrap();
        assert_eq!(run(&AnswerStore::replayed(&past), &candidates), told);
    }
}
