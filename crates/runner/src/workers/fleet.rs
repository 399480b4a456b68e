//! All workers of a run: which of them gets the next candidate, and what happens when one is lost.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use minirepro_engine::Outcome;

use crate::oracle::controls::NOTICED_WITHIN;
use crate::system::resources::spawn_scoped;
use crate::test::description::DescribedTest;
use crate::test::tools::difference;
use crate::workers::message::{Answer, Broken, Hello};
use crate::workers::worker::{Reply, Worker, test_frame};
use crate::{
    CancelToken, Fingerprint, Observation, Oracle, OracleError, RetryPolicy, Signature, TestEnd,
    WorkersError,
};

/// How many workers may be lost with one candidate before the run gives up.
const MOST_LOSSES: u32 = 3;

/// The workers of a run.
#[derive(Debug)]
pub struct Fleet {
    workers: Vec<Worker>,
    /// Tests that this process runs itself.
    own_jobs: usize,
    seats: Mutex<Seats>,
    changed: Condvar,
    losses: Mutex<Vec<LostWorker>>,
}

/// Who can take a candidate.
#[derive(Debug)]
struct Seats {
    own: usize,
    /// By worker; `None` for those that are not there.
    of_workers: Vec<Option<Free>>,
}

#[derive(Clone, Copy, Debug)]
struct Free {
    free: usize,
    jobs: usize,
}

#[derive(Clone, Copy, Debug)]
enum Seat {
    Own,
    Worker(usize),
}

/// A worker that was lost in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostWorker {
    /// Its command.
    pub command: String,
    /// Why nothing is heard of it any more.
    pub why: String,
}

/// A worker before the search: whether it can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enlisted {
    /// Its command.
    pub command: String,
    /// Its greeting, or why it cannot be used.
    pub result: Result<Hello, String>,
}

/// What a worker must show before it may answer.
#[derive(Debug)]
pub struct Examination<'a> {
    /// The test.
    pub test: &'a DescribedTest,
    /// Must reproduce.
    pub failing: &'a [u8],
    /// Must not reproduce.
    pub passing: &'a [u8],
    /// How often a candidate is tested.
    pub retry: RetryPolicy,
    /// Whether its tools may differ from ours.
    pub may_have_other_tools: bool,
    /// When the first worker can be used, or if this process runs tests itself, the others have so long.
    pub patience: Duration,
}

/// What a test gave that this process or a worker ran.
#[derive(Clone, Debug)]
pub struct Tested {
    /// The finding.
    pub seen: Observation,
    /// What else a worker has seen; `None` if this process ran the test.
    pub elsewhere: Option<SeenElsewhere>,
}

/// What a worker has seen besides the finding.
#[derive(Clone, Debug)]
pub struct SeenElsewhere {
    /// How the test ended.
    pub ending: TestEnd,
    /// How the candidate failed, if not as it should.
    pub failure: Option<Signature>,
    /// How often guards were run.
    pub guard_runs: u64,
}

impl Fleet {
    /// Starts all workers. `own_jobs` tests are run by this process itself; a worker that says nothing for as
    /// long as `silence` is lost. `version` is that of the program, which agents must have as well.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(
        commands: &[String],
        own_jobs: usize,
        version: &str,
        silence: Duration,
    ) -> io::Result<Self> {
        let start = |command: &String| Worker::start(command, version, silence);
        let workers = commands.iter().map(start).collect::<io::Result<Vec<_>>>()?;
        let seats = Seats { own: own_jobs, of_workers: vec![None; workers.len()] };
        Ok(Self {
            workers,
            own_jobs,
            seats: Mutex::new(seats),
            changed: Condvar::new(),
            losses: Mutex::default(),
        })
    }

    /// Gives all workers the test and examines them; those that do not pass are ended. Waits until it is known
    /// of all, or `stop` is set.
    ///
    /// # Errors
    /// If the test is too large to be sent, or there are no threads.
    pub fn examine(
        &self,
        examination: &Examination<'_>,
        stop: &CancelToken,
    ) -> io::Result<Vec<Enlisted>> {
        let test = test_frame(examination.test)?;
        let tools = examination.test.tools();
        let first_ready = Mutex::new((self.own_jobs > 0).then(Instant::now));
        let results = Mutex::new(vec![None; self.workers.len()]);
        thread::scope(|scope| {
            for (at, worker) in self.workers.iter().enumerate() {
                let (test, tools, first, results) = (&test, &tools, &first_ready, &results);
                let run = move || {
                    let room = Room { examination, test, tools, first_ready: first, stop };
                    let result = room.examine(worker);
                    results.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(result);
                };
                spawn_scoped(scope, run)?;
            }
            Ok::<_, io::Error>(())
        })?;
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all = Vec::new();
        let mut seats = self.seats();
        for (at, (worker, result)) in self.workers.iter().zip(results).enumerate() {
            let result = result.unwrap_or_else(|| Err("it was not examined".to_owned()));
            match &result {
                Ok(hello) => {
                    let jobs = hello.jobs;
                    seats.of_workers[at] = Some(Free { free: jobs, jobs });
                }
                Err(why) => worker.dismiss(why),
            }
            all.push(Enlisted { command: worker.command().to_owned(), result });
        }
        Ok(all)
    }

    /// Returns how many tests can run at the same time.
    pub fn jobs(&self) -> usize {
        let of_workers =
            self.seats().of_workers.iter().flatten().map(|free| free.jobs).sum::<usize>();
        self.own_jobs + of_workers
    }

    /// Returns how many tests this process runs itself.
    pub fn own_jobs(&self) -> usize {
        self.own_jobs
    }

    /// Returns the workers that were lost since the last call.
    pub fn take_losses(&self) -> Vec<LostWorker> {
        std::mem::take(&mut *self.losses.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tests a candidate where there is room, or by `own`. When a worker is lost, another one takes its
    /// candidate.
    ///
    /// # Errors
    /// If the test does not work, or there is nobody to run it.
    pub fn test(
        &self,
        candidate: &[u8],
        own: &dyn Oracle,
        stop: &CancelToken,
    ) -> Result<Tested, OracleError> {
        let mut losses = 0;
        loop {
            let Some(seat) = self.take_seat(stop)? else {
                return Ok(Tested::only(Reply::stopped()));
            };
            let at = match seat {
                Seat::Own => {
                    let seen = own.test(candidate, stop);
                    self.leave(seat);
                    return Ok(Tested::only(seen?));
                }
                Seat::Worker(at) => at,
            };
            let worker = &self.workers[at];
            let reply = worker.test(candidate, false, stop);
            self.leave(seat);
            let why = match reply.map_err(|error| self.no_pipe(error))? {
                Reply::Stopped => return Ok(Tested::only(Reply::stopped())),
                Reply::Answer(answer) => return Ok(answer.into()),
                Reply::Broken(Broken { code: Some(code), output, .. }) => {
                    let output = format!("on worker {}:\n{output}", worker.command());
                    return Err(OracleError::Broken { code, output });
                }
                Reply::Broken(Broken { why, .. }) => {
                    worker.dismiss(&why);
                    why
                }
                Reply::Lost(why) => why,
            };
            losses += 1;
            self.strike_off(at, &why);
            if losses >= MOST_LOSSES {
                let last = why;
                return Err(WorkersError::SameCandidate { times: losses, last }.into());
            }
        }
    }

    fn no_pipe(&self, error: io::Error) -> OracleError {
        OracleError::Start { program: "a test by a worker".into(), error }
    }

    /// Waits for room; `None` if `stop` comes first.
    fn take_seat(&self, stop: &CancelToken) -> Result<Option<Seat>, OracleError> {
        let mut seats = self.seats();
        loop {
            if stop.is_set() {
                return Ok(None);
            }
            if seats.own > 0 {
                seats.own -= 1;
                return Ok(Some(Seat::Own));
            }
            // Whoever has the largest part of its room free gets the next one, so that all have work.
            let part = |free: &Free| free.free * 1000 / free.jobs;
            let free = seats.of_workers.iter().enumerate();
            let free = free.filter_map(|(at, free)| Some((at, (*free)?)));
            let best = free.filter(|(_, free)| free.free > 0).max_by_key(|(_, free)| part(free));
            if let Some((at, free)) = best {
                if let Some(why) = self.workers[at].lost() {
                    // It was lost while it had nothing to do.
                    seats.of_workers[at] = None;
                    self.note_loss(at, &why);
                    continue;
                }
                seats.of_workers[at] = Some(Free { free: free.free - 1, ..free });
                return Ok(Some(Seat::Worker(at)));
            }
            if self.own_jobs == 0 && seats.of_workers.iter().all(Option::is_none) {
                let last = self.workers.iter().rev().find_map(Worker::lost).unwrap_or_default();
                return Err(WorkersError::AllLost { last }.into());
            }
            let waited = self.changed.wait_timeout(seats, NOTICED_WITHIN);
            seats = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn leave(&self, seat: Seat) {
        let mut seats = self.seats();
        match seat {
            Seat::Own => seats.own += 1,
            Seat::Worker(at) => {
                if let Some(free) = &mut seats.of_workers[at] {
                    free.free += 1;
                }
            }
        }
        drop(seats);
        self.changed.notify_one();
    }

    /// Gives a lost worker no more candidates.
    fn strike_off(&self, at: usize, why: &str) {
        let was_there = self.seats().of_workers[at].take().is_some();
        if was_there {
            self.note_loss(at, why);
        }
        self.changed.notify_all();
    }

    fn note_loss(&self, at: usize, why: &str) {
        let command = self.workers[at].command().to_owned();
        let lost = LostWorker { command, why: why.to_owned() };
        self.losses.lock().unwrap_or_else(PoisonError::into_inner).push(lost);
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        // All end at the same time.
        self.workers.iter().for_each(Worker::close);
    }
}

impl Tested {
    fn only(seen: Observation) -> Self {
        Self { seen, elsewhere: None }
    }
}

impl From<Answer> for Tested {
    fn from(answer: Answer) -> Self {
        let seen = answer.observation();
        let ending = seen.ending;
        let elsewhere =
            SeenElsewhere { ending, failure: answer.failure, guard_runs: answer.guards };
        Self { seen, elsewhere: Some(elsewhere) }
    }
}

/// Where one worker is examined.
struct Room<'a> {
    examination: &'a Examination<'a>,
    test: &'a Arc<Vec<u8>>,
    tools: &'a Fingerprint,
    /// When the first worker passed.
    first_ready: &'a Mutex<Option<Instant>>,
    stop: &'a CancelToken,
}

impl Room<'_> {
    /// Returns the greeting of a worker that can be used.
    fn examine(&self, worker: &Worker) -> Result<Hello, String> {
        let gives_up = || self.stop.is_set() || self.is_late();
        let late = || match self.stop.is_set() {
            true => "it was not ready when the run was stopped".to_owned(),
            false => {
                format!("it was not ready within {} s", self.examination.patience.as_secs_f32())
            }
        };
        let hello = worker.hello(&gives_up)?.ok_or_else(late)?;
        let tools = worker.prepare(self.test, &gives_up)?.ok_or_else(late)?;
        if !self.examination.may_have_other_tools
            && let Some(difference) = difference(self.tools, &tools)
        {
            return Err(format!("its tools differ: {difference}"));
        }
        let Examination { failing, passing, .. } = self.examination;
        let single = Single { worker, told: Mutex::default() };
        let oracle = self.examination.retry.oracle(&single);
        let outcome = |candidate: &[u8]| {
            let seen = oracle.test(candidate, self.stop);
            let told = single.told();
            match seen {
                _ if self.stop.is_set() => Err(late()),
                Ok(seen) => Ok((told, seen.outcome)),
                Err(error) if told.is_empty() => Err(error.to_string()),
                Err(_) => Err(told),
            }
        };
        let (told, seen) = outcome(failing)?;
        if seen != Outcome::Fail {
            return Err(format!("the unchanged input does not reproduce there: {told}"));
        }
        let (_, seen) = outcome(passing)?;
        if seen == Outcome::Fail {
            return Err("what should not reproduce does there".to_owned());
        }
        self.first_ready
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(Instant::now);
        Ok(hello)
    }

    fn is_late(&self) -> bool {
        let first = *self.first_ready.lock().unwrap_or_else(PoisonError::into_inner);
        first.is_some_and(|first| first.elapsed() > self.examination.patience)
    }
}

/// One worker as a test.
struct Single<'a> {
    worker: &'a Worker,
    /// What is told about its last answer.
    told: Mutex<String>,
}

impl Single<'_> {
    fn told(&self) -> String {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn tell(&self, told: String) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = told;
    }
}

impl Oracle for Single<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let no_pipe = |error| OracleError::Start { program: "a test by a worker".into(), error };
        match self.worker.test(candidate, true, stop).map_err(no_pipe)? {
            Reply::Stopped => Ok(Reply::stopped()),
            Reply::Answer(answer) => {
                let failure = answer.failure.as_ref().map(|failure| format!(", as '{failure}'"));
                let output = lines(&answer.output);
                let seen = answer.observation();
                let how = crate::oracle::baseline::in_words(seen.ending);
                self.tell(format!("it {how}{}{output}", failure.unwrap_or_default()));
                Ok(seen)
            }
            Reply::Broken(Broken { why, code, output, .. }) => {
                self.tell(format!("{why}{}", lines(&output)));
                Err(OracleError::Broken { code: code.unwrap_or(126), output })
            }
            Reply::Lost(why) => {
                self.tell(why.clone());
                Err(WorkersError::AllLost { last: why }.into())
            }
        }
    }
}

/// Returns the lines that a test wrote, below a message.
fn lines(output: &str) -> String {
    output.lines().map(|line| format!("\n  | {line}")).collect()
}
