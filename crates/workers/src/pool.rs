//! All workers of a run: which of them gets the next candidate, and what their answers are worth.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use minirepro_engine::Outcome;

use minirepro_runner::system::{lock, spawn_scoped};
use minirepro_runner::{
    CancelToken, NOTICED_WITHIN, Observation, Oracle, OracleError, RetryPolicy, SentTest, TestEnd,
    WorkersError, in_words,
};

use crate::line::line;
use crate::message::{Answer, Hello, ToAgent};
use crate::worker::{PATIENCE, Worker, in_line};

/// How many workers may be lost with one candidate before the run gives up.
const MOST_LOSSES: u32 = 3;

/// The workers of a run.
#[derive(Debug)]
pub struct WorkerPool {
    workers: Vec<Worker>,
    /// Tests that this process runs itself.
    own_jobs: usize,
    /// How many tests can run at the same time.
    jobs: usize,
    retry: RetryPolicy,
    slots: Mutex<Slots>,
    changed: Condvar,
}

/// Who can take a candidate.
#[derive(Debug)]
struct Slots {
    /// The workers that are free, once for each test that they can still run; `None` is this
    /// process.
    free: VecDeque<Option<usize>>,
    /// How many more tests may run here to confirm what a worker says.
    confirming: usize,
}

/// A worker before the search: its greeting, or why it cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// Its command.
    pub command: String,
    /// Its greeting, or why it cannot be used.
    pub result: Result<Hello, String>,
}

/// Gets to know what a worker has said of a candidate.
pub type Heard<'a> = &'a (dyn Fn(&[u8], &Answer) + Sync);

/// A test that workers run, and this process as far as it has jobs of its own.
struct PooledOracle<'a> {
    pool: &'a WorkerPool,
    own: &'a dyn Oracle,
    heard: Heard<'a>,
}

impl WorkerPool {
    /// Starts workers and gives them the test, of which the first end must reproduce and the second
    /// must not; says which can be used. Waits for the first one, and then for a minute more for
    /// the others. `own_jobs` tests are run by this process itself. `version` is that of the
    /// program, which agents must have as well.
    ///
    /// # Errors
    /// If the system refuses, or the test is too large to be sent.
    pub fn start(
        commands: &[String],
        own_jobs: usize,
        version: &str,
        test: &SentTest,
        ends: [&[u8]; 2],
        retry: RetryPolicy,
        stop: &CancelToken,
    ) -> io::Result<(Self, Vec<Examined>)> {
        let start = |command: &String| Worker::start(command, version, test.longest());
        let workers = commands.iter().map(start).collect::<io::Result<Vec<_>>>()?;
        let message = line(&ToAgent::Test(Box::new(test.clone())))?;
        let results = Mutex::new(vec![None; workers.len()]);
        let first_ready = OnceLock::new();
        if own_jobs > 0 {
            first_ready.get_or_init(Instant::now);
        }
        thread::scope(|scope| {
            let (message, first_ready, results) = (&message, &first_ready, &results);
            for (at, worker) in workers.iter().enumerate() {
                let examined = spawn_scoped(scope, move || {
                    let result = examine(worker, message, first_ready, ends, retry, stop);
                    lock(results)[at] = Some(result);
                });
                if let Err(error) = examined {
                    lock(results)[at] = Some(Err(format!("it cannot be examined: {error}")));
                }
            }
        });
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        let results: Vec<_> = results.into_iter().flatten().collect();
        let jobs = |at: usize| results[at].as_ref().map_or(0, |hello: &Hello| hello.jobs);
        // In turn, so that all have work.
        let most = (0..workers.len()).map(jobs).max().unwrap_or_default();
        let turns = (0..most)
            .flat_map(|turn| (0..workers.len()).filter(move |at| jobs(*at) > turn).map(Some));
        let free: VecDeque<_> = std::iter::repeat_n(None, own_jobs).chain(turns).collect();
        let slots =
            Slots { confirming: thread::available_parallelism().map_or(1, usize::from), free };
        let jobs = slots.free.len();
        let slots = Mutex::new(slots);
        let pool = Self { workers, own_jobs, jobs, retry, slots, changed: Condvar::new() };
        let examined = pool.workers.iter().zip(results).map(|(worker, result)| {
            if let Err(why) = &result {
                worker.lose(why);
                let _told = worker.newly_lost();
            }
            Examined { command: worker.command.clone(), result }
        });
        let examined = examined.collect();
        Ok((pool, examined))
    }

    /// Returns how many tests can run at the same time.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Returns the commands of the workers that were lost since the last call, each with the
    /// reason.
    pub fn newly_lost(&self) -> Vec<(String, String)> {
        let lost = |worker: &Worker| Some((worker.command.clone(), worker.newly_lost()?));
        self.workers.iter().filter_map(lost).collect()
    }

    /// Returns the test as workers run it, and `own`, repeated as often as is wanted, as far as
    /// this process has jobs of its own.
    pub fn oracle<'a>(&'a self, own: &'a dyn Oracle, heard: Heard<'a>) -> Box<dyn Oracle + 'a> {
        Box::new(PooledOracle { pool: self, own, heard })
    }

    /// Waits until there is something; `None` if `stop` is set before.
    fn wait<T>(&self, stop: &CancelToken, get: impl Fn(&mut Slots) -> Option<T>) -> Option<T> {
        let mut slots = lock(&self.slots);
        while !stop.is_set() {
            if let Some(got) = get(&mut slots) {
                return Some(got);
            }
            let waited = self.changed.wait_timeout(slots, NOTICED_WITHIN);
            slots = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    /// Returns somebody who is free, or the error that nobody is left.
    fn take(&self, slots: &mut Slots) -> Option<Result<Option<usize>, WorkersError>> {
        while let Some(slot) = slots.free.pop_front() {
            if slot.is_none_or(|at| self.workers[at].lost().is_none()) {
                return Some(Ok(slot));
            }
        }
        let lost: Option<Vec<_>> = self.workers.iter().map(Worker::lost).collect();
        let last = lost.filter(|_| self.own_jobs == 0)?.pop().unwrap_or_default();
        Some(Err(WorkersError::AllLost { last }))
    }

    /// Gives back what was taken.
    fn leave(&self, give: impl FnOnce(&mut Slots)) {
        give(&mut lock(&self.slots));
        self.changed.notify_all();
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        thread::scope(|scope| {
            for worker in &mut self.workers {
                // Without a thread it ends by the end of its input.
                let _ = spawn_scoped(scope, || worker.close());
            }
        });
    }
}

impl Oracle for PooledOracle<'_> {
    /// When a worker is lost, another one takes its candidate. What reproduces according to a
    /// worker is tested here again.
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let Self { pool, own, heard } = *self;
        for losses in 1.. {
            let Some(taken) = pool.wait(stop, |slots| pool.take(slots)) else { break };
            let slot = taken?;
            let seen = match slot {
                None => own.test(candidate, stop),
                Some(at) => {
                    let one = OneWorker { worker: &pool.workers[at], explain: false, heard };
                    pool.retry.oracle(&one).test(candidate, stop)
                }
            };
            pool.leave(|slots| slots.free.push_back(slot));
            match seen {
                Err(OracleError::Workers(WorkersError::AllLost { last })) => {
                    if losses >= MOST_LOSSES {
                        return Err(WorkersError::SameCandidate { times: losses, last }.into());
                    }
                }
                Ok(seen) if slot.is_some() && seen.outcome == Outcome::Fail => {
                    let take = |slots: &mut Slots| {
                        slots.confirming = slots.confirming.checked_sub(1)?;
                        Some(())
                    };
                    if pool.wait(stop, take).is_none() {
                        break;
                    }
                    let seen = own.test(candidate, stop);
                    pool.leave(|slots| slots.confirming += 1);
                    return seen;
                }
                seen => return seen,
            }
        }
        Ok(stopped())
    }

    fn inner(&self) -> Option<&dyn Oracle> {
        Some(self.own)
    }
}

/// Returns the finding of a test that was stopped.
fn stopped() -> Observation {
    let (outcome, ending) = (Outcome::Unresolved, TestEnd::Stopped);
    Observation { outcome, ending, time: Duration::ZERO }
}

/// Returns the greeting of a worker that can be used, or why it cannot.
fn examine(
    worker: &Worker,
    message: &[u8],
    first_ready: &OnceLock<Instant>,
    [failing, passing]: [&[u8]; 2],
    retry: RetryPolicy,
    stop: &CancelToken,
) -> Result<Hello, String> {
    let stopped = || "it was not ready when the run was stopped".to_owned();
    let last = Mutex::new(None);
    let heard = |_: &[u8], answer: &Answer| *lock(&last) = Some(answer.clone());
    let one = OneWorker { worker, explain: true, heard: &heard };
    let oracle = retry.oracle(&one);
    let outcome = |candidate: &[u8]| match oracle.test(candidate, stop) {
        Ok(seen) if seen.ending == TestEnd::Stopped => Err(stopped()),
        Ok(seen) => Ok(seen.outcome),
        Err(error) => Err(in_words_of_worker(error)),
    };
    let end = || first_ready.get()?.checked_add(PATIENCE);
    let hello = worker.greet(message, end, stop).map_err(in_words_of_worker)?;
    let hello = hello.ok_or_else(stopped)?;
    if outcome(failing)? != Outcome::Fail {
        let mut told = "the unchanged input does not reproduce there".to_owned();
        if let Some(Answer { end, failure, output, .. }) = &*lock(&last) {
            told += &format!(": it {}", in_words(*end));
            told += &failure.as_ref().map_or_else(String::new, |it| format!(", as '{it}'"));
            told += &quoted(output);
        }
        return Err(told);
    }
    if outcome(passing)? == Outcome::Fail {
        return Err("what should not reproduce does there".to_owned());
    }
    first_ready.get_or_init(Instant::now);
    Ok(hello)
}

fn in_words_of_worker(error: OracleError) -> String {
    match error {
        OracleError::Workers(WorkersError::AllLost { last }) => last,
        OracleError::Broken { code, output } => {
            format!("it ended with exit code {code}{}", quoted(&output))
        }
        error => error.to_string(),
    }
}

/// Returns the lines that a test wrote, below a message.
fn quoted(output: &str) -> String {
    output.lines().map(|line| format!("\n  | {}", in_line(line))).collect()
}

/// One worker as a test. That it is lost is the error that all are.
struct OneWorker<'a> {
    worker: &'a Worker,
    /// Whether the last lines of a test that does not reproduce are wanted.
    explain: bool,
    heard: Heard<'a>,
}

impl Oracle for OneWorker<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let Some(answer) = self.worker.test(candidate, self.explain, stop)? else {
            return Ok(stopped());
        };
        (self.heard)(candidate, &answer);
        // An agent may send any number.
        let time = Duration::try_from_secs_f64(answer.seconds).unwrap_or_default();
        Ok(Observation { outcome: answer.outcome, ending: answer.end, time })
    }
}
