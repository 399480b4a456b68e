//! A session whose answers are written down as they come, and which is told those that are known.
//! Knows journals and caches; decides nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Event, JobId, Outcome, Report, Session, Step};

use crate::cache::Cache;
use crate::journal::{Journal, Past};
use crate::records::{Answer, Digest};

/// How many answers came from where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// From the journal.
    pub journal: u64,
    /// From the cache.
    pub cache: u64,
}

/// Stands between a session and [`drive`](crate::drive).
pub struct Recorded<'a> {
    session: &'a mut dyn Session,
    journal: Option<&'a mut Journal>,
    cache: Option<&'a mut Cache>,
    past: Option<&'a Past>,
    running: HashMap<JobId, Digest>,
    recalled: Recalled,
    /// What may be asked next.
    expected: Vec<(Arc<[u8]>, Digest)>,
    /// What comes first after [`recall`](Self::recall).
    next: Option<Step>,
}

impl std::fmt::Debug for Recorded<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorded").field("recalled", &self.recalled).finish_non_exhaustive()
    }
}

impl<'a> Recorded<'a> {
    /// Answers of `past` and of the cache need no test; new ones go to the journal and to the cache.
    pub fn new(
        session: &'a mut dyn Session,
        past: Option<&'a Past>,
        journal: Option<&'a mut Journal>,
        cache: Option<&'a mut Cache>,
    ) -> Self {
        let (running, recalled, expected) = (HashMap::new(), Recalled::default(), Vec::new());
        Self { session, journal, cache, past, running, recalled, expected, next: None }
    }

    /// Goes as far as the known answers lead. `observe` gets the events on the way.
    pub fn recall(&mut self, observe: &mut dyn FnMut(&Event)) {
        self.next = Some(self.advance(Duration::ZERO));
        self.session.take_events().iter().for_each(observe);
    }

    /// How many questions needed no test.
    pub fn recalled(&self) -> Recalled {
        self.recalled
    }

    fn advance(&mut self, now: Duration) -> Step {
        loop {
            let step = self.session.poll(now);
            let Step::Start { id, candidate } = &step else { return step };
            let digest = self.digest(candidate);
            match self.answer(&digest) {
                Some(outcome) => self.session.report(*id, outcome.into()),
                None => {
                    self.running.insert(*id, digest);
                    return step;
                }
            }
        }
    }

    fn digest(&self, candidate: &Arc<[u8]>) -> Digest {
        let known = self.expected.iter().find(|(other, _)| Arc::ptr_eq(other, candidate));
        known.map_or_else(|| Digest::of(candidate), |(_, digest)| digest.clone())
    }

    fn answer(&mut self, digest: &Digest) -> Option<Outcome> {
        if let Some((outcome, _)) = self.past.and_then(|past| past.answer(digest)) {
            self.recalled.journal += 1;
            return Some(outcome);
        }
        let answer = self.cache.as_ref().and_then(|cache| cache.get(digest))?.clone();
        self.recalled.cache += 1;
        let outcome = answer.outcome.into();
        // So that the journal alone decides the run.
        self.journal.iter_mut().for_each(|journal| journal.answer(answer.clone()));
        Some(outcome)
    }
}

impl Session for Recorded<'_> {
    fn poll(&mut self, now: Duration) -> Step {
        self.next.take().unwrap_or_else(|| self.advance(now))
    }

    fn report(&mut self, id: JobId, report: Report) {
        if let Some(digest) = self.running.remove(&id) {
            let answer = Answer::new(digest, report);
            self.cache.iter_mut().for_each(|cache| cache.keep(&answer));
            self.journal.iter_mut().for_each(|journal| journal.answer(answer.clone()));
        }
        self.session.report(id, report);
    }

    fn prepare(&mut self) -> bool {
        self.journal.iter_mut().for_each(|journal| journal.sync_now_and_then());
        self.cache.iter_mut().for_each(|cache| cache.sync_now_and_then());
        self.session.prepare()
    }

    fn expected(&mut self) -> Vec<Arc<[u8]>> {
        let expected = self.session.expected();
        let digests = expected.iter().map(|next| (Arc::clone(next), self.digest(next))).collect();
        self.expected = digests;
        expected
    }

    fn take_stale(&mut self) -> Vec<JobId> {
        let stale = self.session.take_stale();
        stale.iter().for_each(|id| drop(self.running.remove(id)));
        stale
    }

    fn stop(&mut self, why: &str) {
        self.next = None;
        self.session.stop(why);
    }

    fn take_events(&mut self) -> Vec<Event> {
        self.session.take_events()
    }
}

/// Decides a run again by its journal alone. `observe` gets all events, with the time that the tests
/// had taken until then. Whether the journal had all the answers; if not, the session is stopped
/// where it ends.
pub fn replay(
    session: &mut dyn Session,
    past: &Past,
    observe: &mut dyn FnMut(&Event, Duration),
) -> bool {
    let mut now = Duration::ZERO;
    let mut complete = true;
    loop {
        let step = session.poll(now);
        session.take_events().iter().for_each(|event| observe(event, now));
        // Look-ahead is not needed: every answer is there when it is asked for.
        match step {
            Step::Start { id, candidate } => match past.answer(&Digest::of(&candidate)) {
                Some((outcome, time)) => {
                    now += time;
                    session.report(id, outcome.into());
                }
                None => {
                    complete = false;
                    session.stop("the journal ends here");
                }
            },
            Step::Wait => unreachable!("every test is reported at once"),
            Step::Done => return complete,
        }
    }
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;
