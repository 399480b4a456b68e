//! Brings a session and an oracle together: starts what the session asks for on a few threads,
//! reports the answers, ends what is no longer wanted. Decides nothing.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use minirepro_engine::{Event, JobId, Report, Session, Step};

use crate::{Ending, Observation, Oracle, OracleError, Stop};

/// So long it takes about to start a process.
const START: Duration = Duration::from_micros(400);

/// What the runner alone can count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that were run, those included that nobody wanted in the end.
    pub tests: u64,
    /// Tests that were ended because their time was up.
    pub timeouts: u64,
    /// Tests that were ended because they wrote too much, or needed too much memory.
    pub exceeded: u64,
    /// Tests that were ended because their answers were not wanted any more.
    pub cancelled: u64,
    /// The sum of the times of all tests.
    pub time: Duration,
    /// With one job: the time between the end of a test and the start of the next, at the median.
    pub between: Option<Duration>,
}

impl Tally {
    fn count(&mut self, seen: &Observation) {
        self.tests += 1;
        self.timeouts += u64::from(seen.ending == Ending::TimedOut);
        self.exceeded += u64::from(matches!(seen.ending, Ending::Exceeded(_)));
        self.cancelled += u64::from(seen.ending == Ending::Stopped);
        self.time += seen.time;
    }
}

/// Why a run ended before the session was done.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The test does not work.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// The system has no file descriptors left.
    #[error("cannot start another test: {0}")]
    System(#[from] io::Error),
}

/// Runs a session to its end with at most `jobs` tests at a time. `observe` gets all events as
/// they come, with the time since the start.
///
/// Tests run on threads of their own; meanwhile this one prepares what may come next. When `stop` is set, the running tests
/// are ended and the session is stopped; that is no error.
///
/// # Errors
/// When the oracle cannot work. The session is stopped then and keeps its best result.
pub fn drive(
    session: &mut dyn Session,
    oracle: &dyn Oracle,
    jobs: usize,
    stop: &Stop,
    observe: &mut dyn FnMut(&Event, Duration),
) -> (Tally, Result<(), DriveError>) {
    let (start, tally, between) = (Instant::now(), Tally::default(), Vec::new());
    let mut run = Run { session, oracle, observe, stop, start, tally, between, last: None };
    let result = run.pool(jobs.max(1));
    if jobs <= 1 {
        run.tally.between = median(std::mem::take(&mut run.between));
    }
    if let Err(error) = &result {
        run.end(&error.to_string());
    }
    (run.tally, result)
}

struct Run<'a> {
    session: &'a mut dyn Session,
    oracle: &'a dyn Oracle,
    observe: &'a mut dyn FnMut(&Event, Duration),
    stop: &'a Stop,
    start: Instant,
    tally: Tally,
    /// When the last test was over, and for how long none ran then.
    last: Option<Instant>,
    between: Vec<Duration>,
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    let middle = times.len() / 2;
    (!times.is_empty()).then(|| *times.select_nth_unstable(middle).1)
}

impl Run<'_> {
    fn pool(&mut self, jobs: usize) -> Result<(), DriveError> {
        let oracle = self.oracle;
        let (starts, queue) = channel();
        let (answers, inbox) = channel();
        let queue = Mutex::new(queue);
        thread::scope(|scope| {
            for _ in 0..jobs {
                let (queue, answers) = (&queue, answers.clone());
                scope.spawn(move || work(oracle, queue, &answers));
            }
            drop(answers);
            self.feed(Pool { jobs, starts, inbox, running: HashMap::new() })
        })
    }

    /// Keeps the workers busy. Leaving drops the queue, which ends the workers.
    fn feed(&mut self, mut pool: Pool) -> Result<(), DriveError> {
        loop {
            loop {
                let step = self.poll();
                pool.cancel(self.session.take_stale());
                match step {
                    Step::Start { id, candidate } => pool.start(id, candidate, self.stop)?,
                    Step::Wait => break,
                    Step::Done => return Ok(()),
                }
            }
            let (id, answer) = self.wait(&pool);
            if pool.running.remove(&id).is_some() {
                self.report(id, &answer?);
            } else if let Ok(seen) = answer {
                // It was cancelled; nobody wants to know how it ended.
                self.tally.count(&seen);
            }
        }
    }

    /// Does what may have to be done later, until there is an answer.
    fn wait(&mut self, pool: &Pool) -> Answer {
        // First of all the test that was just started must get a processor.
        if let Ok(answer) = pool.inbox.recv_timeout(START) {
            return answer;
        }
        loop {
            // With more jobs, what is expected is running already.
            let next = if pool.jobs == 1 { self.session.expected() } else { Vec::new() };
            self.oracle.prepare(&next);
            match pool.inbox.try_recv() {
                Ok(answer) => return answer,
                Err(TryRecvError::Empty) if self.session.prepare() => {}
                Err(_) => break,
            }
        }
        pool.inbox.recv().unwrap_or_else(|_| unreachable!("workers live as long as the queue"))
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
        self.tally.count(seen);
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            self.between.push((now - last).saturating_sub(seen.time));
        }
        // A stopped test has no answer; the next poll stops the session.
        if seen.ending != Ending::Stopped {
            let timed_out = seen.ending == Ending::TimedOut;
            self.session.report(id, Report { outcome: seen.outcome, time: seen.time, timed_out });
        }
    }

    fn end(&mut self, why: &str) {
        self.session.stop(why);
        self.session.poll(self.start.elapsed());
        self.tell();
    }

    fn tell(&mut self) {
        let now = self.start.elapsed();
        self.session.take_events().iter().for_each(|event| (self.observe)(event, now));
    }
}

type Answer = (JobId, Result<Observation, OracleError>);

struct Start {
    id: JobId,
    candidate: Arc<[u8]>,
    stop: Stop,
}

struct Pool {
    jobs: usize,
    starts: Sender<Start>,
    inbox: Receiver<Answer>,
    running: HashMap<JobId, Stop>,
}

impl Pool {
    fn start(&mut self, id: JobId, candidate: Arc<[u8]>, stop: &Stop) -> io::Result<()> {
        let stop = stop.below()?;
        self.running.insert(id, stop.clone());
        // Workers that are still busy with cancelled tests find it when they are done.
        let sent = self.starts.send(Start { id, candidate, stop });
        debug_assert!(sent.is_ok(), "workers live as long as the queue");
        Ok(())
    }

    fn cancel(&mut self, stale: Vec<JobId>) {
        stale.iter().filter_map(|id| self.running.remove(id)).for_each(|stop| stop.set());
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.running.values().for_each(Stop::set);
    }
}

fn work(oracle: &dyn Oracle, queue: &Mutex<Receiver<Start>>, answers: &Sender<Answer>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Start { id, candidate, stop }) = next else { return };
        if answers.send((id, oracle.test(&candidate, &stop))).is_err() {
            return;
        }
    }
}

#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
