//! Runs a session: starts the tests that it asks for on a few threads, reports their findings, and
//! ends those that are no longer wanted.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

use minirepro_engine::{Consultation, Event, JobId, Said, Session, Step, StopReason, seconds};
use serde::Serialize;

use crate::system::resources::spawn_scoped;
use crate::{CancelToken, ConsultError, Observation, Oracle, OracleError, TestEnd};

/// Roughly how long it takes to start a process.
const START: Duration = Duration::from_micros(400);

/// The figures that only the runner can count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunnerStats {
    /// Tests that were run, including those whose answers were not needed in the end.
    #[serde(rename = "tests_run")]
    pub tests: u64,
    /// Tests that were ended because their time was up.
    pub timeouts: u64,
    /// Tests that were ended because they wrote too much.
    pub exceeded: u64,
    /// Tests that were ended because their answers were no longer wanted.
    pub cancelled: u64,
    /// The sum of the times of all tests.
    #[serde(rename = "test_seconds", serialize_with = "seconds")]
    pub time: Duration,
}

impl RunnerStats {
    /// Adds the figures of tests that were run later.
    pub fn add(&mut self, later: &Self) {
        self.tests += later.tests;
        self.timeouts += later.timeouts;
        self.exceeded += later.exceeded;
        self.cancelled += later.cancelled;
        self.time += later.time;
    }

    fn count(&mut self, seen: &Observation) {
        self.tests += 1;
        self.timeouts += u64::from(seen.ending == TestEnd::TimedOut);
        self.exceeded += u64::from(seen.ending == TestEnd::TooMuchOutput);
        self.cancelled += u64::from(seen.ending == TestEnd::Stopped);
        self.time += seen.time;
    }
}

/// The error that ended a run before its session was done.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The test does not work.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// The system has no file descriptors or threads left.
    #[error("cannot start another test: {0}")]
    System(#[from] io::Error),
}

/// Runs a session to its end with at most `jobs` tests at a time. If `stop` is set, the running
/// tests are ended and the session is stopped; that is not an error. Somebody may watch, and have
/// wishes (`controls`). `consult` asks proposers; `observe` gets all events as they come, with the
/// time since the start.
///
/// Tests run on threads of their own; meanwhile this one lets the session compute ahead.
///
/// # Errors
/// If the oracle does not work. The session is stopped then and keeps its best result.
pub fn drive(
    session: &mut dyn Session,
    oracle: &dyn Oracle,
    jobs: usize,
    stop: &CancelToken,
    controls: Option<&Controls>,
    consult: &mut dyn FnMut(&Consultation) -> Result<Said, ConsultError>,
    observe: &mut dyn FnMut(&Event, Duration),
) -> (RunnerStats, Result<(), DriveError>) {
    let mut run = Run {
        session,
        oracle,
        consult,
        observe,
        stop,
        controls,
        start: Instant::now(),
        stats: RunnerStats::default(),
    };
    let result = run.pool(jobs.max(1));
    if let Some(controls) = controls {
        controls.all_ended();
    }
    if let Err(error) = &result {
        run.end(stop_reason(error));
    }
    (run.stats, result)
}

/// Returns the reason that is noted for a session that this error ends.
pub fn stop_reason(error: &DriveError) -> StopReason {
    match error {
        DriveError::Oracle(OracleError::JournalExhausted) => StopReason::JournalExhausted,
        DriveError::Oracle(OracleError::Workers(_)) => StopReason::WorkersLost,
        DriveError::Oracle(_) | DriveError::System(_) => StopReason::OracleFailed,
    }
}

struct Run<'a> {
    session: &'a mut dyn Session,
    oracle: &'a dyn Oracle,
    consult: &'a mut dyn FnMut(&Consultation) -> Result<Said, ConsultError>,
    observe: &'a mut dyn FnMut(&Event, Duration),
    stop: &'a CancelToken,
    controls: Option<&'a Controls>,
    start: Instant,
    stats: RunnerStats,
}

impl Run<'_> {
    fn pool(&mut self, jobs: usize) -> Result<(), DriveError> {
        let oracle = self.oracle;
        let (starts, queue) = channel();
        let (answers, inbox) = channel();
        let queue = Mutex::new(queue);
        thread::scope(|scope| {
            for worker in 0..jobs {
                let queue = &queue;
                let answers = answers.clone();
                match spawn_scoped(scope, move || work(oracle, queue, &answers)) {
                    // With fewer workers tests only wait longer.
                    Err(error) if worker == 0 => return Err(error.into()),
                    Err(_) => break,
                    Ok(()) => {}
                }
            }
            drop(answers);
            self.feed(Pool { starts, inbox, running: HashMap::new() })
        })
    }

    /// Keeps the workers busy. Leaving drops the queue, which ends the workers.
    fn feed(&mut self, mut pool: Pool) -> Result<(), DriveError> {
        loop {
            loop {
                let step = self.poll();
                pool.cancel(&self.session.cancelled_jobs());
                match step {
                    Step::Start { id, candidate } => self.start(&mut pool, id, candidate)?,
                    Step::Consult(consultation) => match (self.consult)(&consultation) {
                        Ok(said) => self.session.hear(said),
                        Err(ConsultError::Stopped) => self.session.stop(self.stop.why()),
                        Err(ConsultError::Oracle(error)) => return Err(error.into()),
                    },
                    Step::Wait => break,
                    Step::Done => return Ok(()),
                }
            }
            let (id, answer) = self.wait(&pool);
            if let Some(controls) = self.controls {
                controls.ends(id.0);
            }
            if pool.running.remove(&id).is_some() {
                self.report(id, &answer?);
            } else if let Ok(seen) = answer {
                // It was cancelled, so only the figures count it.
                self.stats.count(&seen);
            }
        }
    }

    /// Starts a test, unless the run is paused; then as soon as it goes on.
    fn start(&self, pool: &mut Pool, id: JobId, candidate: Arc<[u8]>) -> io::Result<()> {
        if let Some(controls) = self.controls {
            controls.wait_while_paused(self.stop);
            controls.begins(id.0);
        }
        pool.start(id, candidate, self.stop)
    }

    /// Waits for an answer; meanwhile does work that may be needed later.
    fn wait(&mut self, pool: &Pool) -> Answer {
        // The test that was just started must get a processor first.
        if let Ok(answer) = pool.inbox.recv_timeout(START) {
            return answer;
        }
        loop {
            match pool.inbox.try_recv() {
                Ok(answer) => return answer,
                Err(TryRecvError::Empty) if self.session.precompute() => {}
                Err(_) => break,
            }
        }
        pool.inbox.recv().unwrap_or_else(|_| unreachable!("{WORKERS_LIVE}"))
    }

    fn poll(&mut self) -> Step {
        if self.stop.is_set() {
            self.session.stop(self.stop.why());
        }
        let step = self.session.poll(self.start.elapsed());
        self.tell();
        step
    }

    fn report(&mut self, id: JobId, seen: &Observation) {
        self.stats.count(seen);
        // A stopped test has no answer; the next poll stops the session.
        if seen.ending != TestEnd::Stopped {
            self.session.report(id, seen.outcome);
        }
    }

    fn end(&mut self, why: StopReason) {
        self.session.stop(why);
        self.session.poll(self.start.elapsed());
        self.tell();
    }

    fn tell(&mut self) {
        let now = self.start.elapsed();
        for event in self.session.take_events() {
            (self.observe)(&event, now);
        }
    }
}

/// Why a queue never ends before its workers.
const WORKERS_LIVE: &str = "workers live as long as the queue";

type Answer = (JobId, Result<Observation, OracleError>);

struct Start {
    id: JobId,
    candidate: Arc<[u8]>,
    stop: CancelToken,
}

struct Pool {
    starts: Sender<Start>,
    inbox: Receiver<Answer>,
    running: HashMap<JobId, CancelToken>,
}

impl Pool {
    fn start(&mut self, id: JobId, candidate: Arc<[u8]>, stop: &CancelToken) -> io::Result<()> {
        let stop = stop.below()?;
        self.running.insert(id, stop.clone());
        // Workers that are still busy with cancelled tests find it when they are done.
        let sent = self.starts.send(Start { id, candidate, stop });
        debug_assert!(sent.is_ok(), "workers live as long as the queue");
        Ok(())
    }

    fn cancel(&mut self, jobs: &[JobId]) {
        for stop in jobs.iter().filter_map(|id| self.running.remove(id)) {
            stop.set();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for stop in self.running.values() {
            stop.set();
        }
    }
}

fn work(oracle: &dyn Oracle, queue: &Mutex<Receiver<Start>>, answers: &Sender<Answer>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Start { id, candidate, stop }) = next else { return };
        // A thread that dies would leave a question without an answer. The error ends the run, so
        // nobody sees what the panic may have left half done.
        let tested = catch_unwind(AssertUnwindSafe(|| oracle.test(&candidate, &stop)));
        let answer = tested.unwrap_or_else(|payload| Err(OracleError::panicked(&*payload)));
        if answers.send((id, answer)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;

/// How long it takes at most until a wish is noticed while tests run or the run is paused.
pub const NOTICED_WITHIN: Duration = Duration::from_millis(50);

/// Wishes of somebody who watches a run, and the tests that are under way. Clones are the same
/// controls, for any thread.
#[derive(Clone, Debug, Default)]
pub struct Controls(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_paused: bool,
    /// When each test that is under way began.
    running: BTreeMap<u64, Instant>,
}

impl Controls {
    /// Starts no further test until [`resume`](Self::resume). Those under way go on to their ends,
    /// and a limit of time goes on as well.
    pub fn pause(&self) {
        self.state().is_paused = true;
    }

    /// Goes on after [`pause`](Self::pause).
    pub fn resume(&self) {
        self.state().is_paused = false;
        self.0.changed.notify_all();
    }

    /// Returns whether the run is paused.
    pub fn is_paused(&self) -> bool {
        self.state().is_paused
    }

    /// Returns since when each test under way runs, the longest first.
    pub fn running_since(&self) -> Vec<Instant> {
        let mut running: Vec<Instant> = self.state().running.values().copied().collect();
        running.sort_unstable();
        running
    }

    pub(crate) fn begins(&self, id: u64) {
        self.state().running.insert(id, Instant::now());
    }

    pub(crate) fn ends(&self, id: u64) {
        self.state().running.remove(&id);
    }

    pub(crate) fn all_ended(&self) {
        self.state().running.clear();
    }

    /// Waits until the run may go on, or has to stop.
    pub(crate) fn wait_while_paused(&self, stop: &CancelToken) {
        let mut state = self.state();
        while state.is_paused && !stop.is_set() {
            let waited = self.0.changed.wait_timeout(state, NOTICED_WITHIN);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
