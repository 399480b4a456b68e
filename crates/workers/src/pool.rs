//! All workers of a run: which of them gets the next candidate, and what happens when one is lost.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use minirepro_engine::Outcome;

use xxhash_rust::xxh3::xxh3_128;

use minirepro_runner::system::{spawn_scoped, spawn_thread};
use minirepro_runner::{
    CancelToken, DescribedTest, Fingerprint, NOTICED_WITHIN, Observation, Oracle, OracleError,
    RetryPolicy, Signature, TestEnd, WorkersError, difference, in_words,
};

use crate::audit::{Audit, comes_after_examination, is_sample};
use crate::message::{Answer, Broken, Hello};
use crate::worker::{Reply, Worker, in_line, test_frame};

/// How many workers may be lost with one candidate before the run gives up.
const MOST_LOSSES: u32 = 3;

/// How often the command of a worker is started again in a run.
const MOST_RETURNS: u32 = 3;

/// The workers of a run.
#[derive(Debug)]
pub struct WorkerPool {
    shared: Arc<Shared>,
    /// Threads on which lost workers are started again.
    returns: Mutex<Vec<JoinHandle<()>>>,
    /// Set when nobody needs workers any more.
    leaving: CancelToken,
    audit: Audit,
}

/// What the threads of a pool share.
#[derive(Debug)]
struct Shared {
    version: String,
    silence: Duration,
    /// Those that are there or were lost, by place.
    workers: Vec<Mutex<Arc<Worker>>>,
    /// Tests that this process runs itself.
    own_jobs: usize,
    /// What workers must show; known from the examination on.
    terms: OnceLock<Terms>,
    slots: Mutex<Slots>,
    changed: Condvar,
    news: Mutex<Vec<WorkerNews>>,
}

/// Who can take a candidate.
#[derive(Debug)]
struct Slots {
    own: usize,
    /// By place.
    of_workers: Vec<Place>,
}

/// The slots of one worker.
#[derive(Clone, Debug)]
struct Place {
    presence: Presence,
    /// The name of its machine, as it says.
    host: String,
    /// How often its command may still be started again.
    returns_left: u32,
}

#[derive(Clone, Copy, Debug)]
enum Presence {
    Away,
    /// Lost, and being started again.
    Returning,
    There(Free),
}

#[derive(Clone, Copy, Debug)]
struct Free {
    free: usize,
    jobs: usize,
}

/// A slot for a candidate.
enum TakenSlot {
    Own,
    Worker {
        at: usize,
        worker: Arc<Worker>,
        host: String,
    },
    /// There is none but where it must not be.
    NoOtherHost,
    Stopped,
}

/// Who has answered.
enum Asked {
    Here(Observation),
    There(There),
    Stopped,
}

/// The answer of a worker.
struct There {
    answer: Answer,
    at: usize,
    worker: Arc<Worker>,
    host: String,
}

/// Whether the command of a lost worker is started again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Return {
    IfLeft,
    /// It was not lost by chance.
    Never,
}

/// What happened to a worker in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerNews {
    /// Nothing is heard of it any more.
    Lost(LostWorker),
    /// This command, whose worker was lost, has started another one, which has been examined.
    Returned(String),
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
pub struct ExaminedWorker {
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
    /// When the first worker can be used, or if this process runs tests itself, the others have so
    /// long.
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

impl WorkerPool {
    /// Starts all workers. `own_jobs` tests are run by this process itself; a worker that says
    /// nothing for as long as `silence` is lost. `version` is that of the program, which agents
    /// must have as well.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(
        commands: &[String],
        own_jobs: usize,
        version: &str,
        silence: Duration,
    ) -> io::Result<Self> {
        let start = |command: &String| {
            Ok::<_, io::Error>(Mutex::new(Arc::new(Worker::start(command, version, silence)?)))
        };
        let workers = commands.iter().map(start).collect::<io::Result<Vec<_>>>()?;
        let place =
            Place { presence: Presence::Away, host: String::new(), returns_left: MOST_RETURNS };
        let slots = Slots { own: own_jobs, of_workers: vec![place; workers.len()] };
        let shared = Shared {
            version: version.to_owned(),
            silence,
            workers,
            own_jobs,
            terms: OnceLock::new(),
            slots: Mutex::new(slots),
            changed: Condvar::new(),
            news: Mutex::default(),
        };
        let leaving = CancelToken::new()?;
        let audit = Audit::new();
        Ok(Self { shared: Arc::new(shared), returns: Mutex::default(), leaving, audit })
    }

    /// Gives all workers the test and examines them; those that do not pass are ended. Waits until
    /// it is known of all, or `stop` is set.
    ///
    /// # Errors
    /// If the test is too large to be sent, or there are no threads.
    pub fn examine(
        &self,
        examination: &Examination<'_>,
        stop: &CancelToken,
    ) -> io::Result<Vec<ExaminedWorker>> {
        let terms = Terms::of(examination)?;
        let terms = self.shared.terms.get_or_init(|| terms);
        let first_ready = Mutex::new((self.shared.own_jobs > 0).then(Instant::now));
        let workers: Vec<Arc<Worker>> =
            (0..self.shared.workers.len()).map(|at| self.shared.worker(at)).collect();
        let results = Mutex::new(vec![None; workers.len()]);
        thread::scope(|scope| {
            for (at, worker) in workers.iter().enumerate() {
                let (first_ready, results) = (&first_ready, &results);
                let run = move || {
                    let result = Examiner { terms, first_ready, stop }.examine(worker);
                    results.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(result);
                };
                spawn_scoped(scope, run)?;
            }
            Ok::<_, io::Error>(())
        })?;
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all = Vec::new();
        let mut slots = self.shared.slots();
        for (at, (worker, result)) in workers.iter().zip(results).enumerate() {
            let result = result.unwrap_or_else(|| Err("it was not examined".to_owned()));
            match &result {
                Ok(hello) => {
                    let jobs = hello.jobs;
                    let place = &mut slots.of_workers[at];
                    place.presence = Presence::There(Free { free: jobs, jobs });
                    place.host.clone_from(&hello.host);
                }
                Err(why) => worker.dismiss(why),
            }
            all.push(ExaminedWorker { command: worker.command().to_owned(), result });
        }
        Ok(all)
    }

    /// Returns how many tests can run at the same time.
    pub fn jobs(&self) -> usize {
        let of_workers = self.shared.slots().free().map(|(_, free)| free.jobs).sum::<usize>();
        self.shared.own_jobs + of_workers
    }

    /// Returns how many tests this process runs itself.
    pub fn own_jobs(&self) -> usize {
        self.shared.own_jobs
    }

    /// Returns what happened to workers since the last call.
    pub fn take_news(&self) -> Vec<WorkerNews> {
        std::mem::take(&mut *self.shared.news.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether answers of workers are checked: whether the test gives the same answer each
    /// time.
    pub fn audits(&self) -> bool {
        self.shared.terms.get().is_some_and(Terms::is_steady)
    }

    /// Believes nothing from now on that only one worker says, or believes it until it matters.
    pub fn doubt_all(&self, doubts: bool) {
        self.audit.doubt_all(doubts);
    }

    /// Returns whether the answer to a candidate is that of one worker alone.
    pub fn is_unconfirmed(&self, candidate: &[u8]) -> bool {
        self.audit.refused_at(xxh3_128(candidate)).is_some()
    }

    /// Tests a candidate where a slot is free, or by `own`, and again elsewhere if one answer is
    /// not enough.
    ///
    /// # Errors
    /// If the test does not work, or there is nobody to run it.
    pub fn test(
        &self,
        candidate: &[u8],
        own: &dyn Oracle,
        stop: &CancelToken,
    ) -> Result<Tested, OracleError> {
        let hash = xxh3_128(candidate);
        let refused_at = self.audit.refused_at(hash);
        let first = self.ask(candidate, refused_at.as_deref(), own, stop)?;
        let Asked::There(first) = first else {
            self.audit.settle(hash);
            return Ok(first.into());
        };
        let outcome = first.answer.observation().outcome;
        let is_refused = outcome != Outcome::Fail;
        if !self.audits() || refused_at.is_some() && is_refused {
            self.audit.settle(hash);
            return Ok(first.answer.into());
        }
        let second = if refused_at.is_some() || is_refused && is_sample(candidate) {
            self.ask_here(candidate, own, stop)?
        } else if self.audit.wants_confirmation(outcome) {
            self.ask(candidate, Some(&first.host), own, stop)?
        } else {
            self.audit.note(hash, &first.host);
            return Ok(first.answer.into());
        };
        let seen = match second {
            Asked::There(second) => {
                if (second.answer.observation().outcome != Outcome::Fail) == is_refused {
                    self.audit.settle(hash);
                    return Ok(first.answer.into());
                }
                match self.ask_here(candidate, own, stop)? {
                    Asked::Here(seen) => {
                        self.judge(&second, &seen, candidate, own, stop)?;
                        seen
                    }
                    other => return Ok(other.into()),
                }
            }
            Asked::Here(seen) => seen,
            Asked::Stopped => return Ok(Asked::Stopped.into()),
        };
        self.audit.settle(hash);
        self.judge(&first, &seen, candidate, own, stop)?;
        Ok(if (seen.outcome != Outcome::Fail) == is_refused {
            first.answer.into()
        } else {
            Tested::only(seen)
        })
    }

    /// Tests a candidate here, whether a slot is free or not.
    fn ask_here(
        &self,
        candidate: &[u8],
        own: &dyn Oracle,
        stop: &CancelToken,
    ) -> Result<Asked, OracleError> {
        let Some(_permit) = self.audit.permit(stop) else { return Ok(Asked::Stopped) };
        let seen = own.test(candidate, stop)?;
        Ok(if seen.ending == TestEnd::Stopped { Asked::Stopped } else { Asked::Here(seen) })
    }

    /// Asks a worker nothing more if its answer is not the one that this machine gives, each time.
    /// One that was too slow or had too little memory is not wrong.
    fn judge(
        &self,
        given: &There,
        seen: &Observation,
        candidate: &[u8],
        own: &dyn Oracle,
        stop: &CancelToken,
    ) -> Result<(), OracleError> {
        let said = given.answer.observation();
        let had_enough = |end: TestEnd| !matches!(end, TestEnd::TimedOut | TestEnd::Exceeded(_));
        let is_same = (said.outcome == Outcome::Fail) == (seen.outcome == Outcome::Fail);
        if is_same || !had_enough(said.ending) || !had_enough(seen.ending) {
            return Ok(());
        }
        if let Asked::Here(again) = self.ask_here(candidate, own, stop)?
            && again.outcome == seen.outcome
        {
            let why = match said.outcome {
                Outcome::Fail => {
                    "it says that a candidate reproduces which does not on this machine"
                }
                _ => "it says that a candidate does not reproduce which does on this machine",
            };
            given.worker.dismiss(why);
            self.remove(given.at, &given.worker, why, Return::Never);
        }
        Ok(())
    }

    /// Asks about a candidate where a slot is free. When a worker is lost, another one takes its
    /// candidate. If a host is to be avoided and there is no other, the test runs here.
    fn ask(
        &self,
        candidate: &[u8],
        avoided: Option<&str>,
        own: &dyn Oracle,
        stop: &CancelToken,
    ) -> Result<Asked, OracleError> {
        let mut losses = 0;
        loop {
            let (at, worker, host) = match self.take_slot(avoided, stop)? {
                TakenSlot::Stopped => return Ok(Asked::Stopped),
                TakenSlot::NoOtherHost => return self.ask_here(candidate, own, stop),
                TakenSlot::Own => {
                    let seen = own.test(candidate, stop);
                    self.shared.leave(None);
                    return Ok(Asked::Here(seen?));
                }
                TakenSlot::Worker { at, worker, host } => (at, worker, host),
            };
            let reply = self.ask_worker(&worker, candidate, stop);
            self.shared.leave(Some((at, &worker)));
            let (why, comes_back) = match reply.map_err(no_pipe)? {
                Reply::Stopped => return Ok(Asked::Stopped),
                Reply::Answer(answer) => {
                    return Ok(Asked::There(There { answer, at, worker, host }));
                }
                Reply::Broken(Broken { code: Some(code), output, .. }) => {
                    let output = format!("on worker {}:\n{output}", worker.command());
                    return Err(OracleError::Broken { code, output });
                }
                Reply::Broken(Broken { why, .. }) => {
                    worker.dismiss(&why);
                    (why, Return::IfLeft)
                }
                Reply::Changed(why) => {
                    worker.dismiss(&why);
                    (why, Return::Never)
                }
                Reply::Lost(why) => (why, Return::IfLeft),
            };
            losses += 1;
            self.remove(at, &worker, &why, comes_back);
            if losses >= MOST_LOSSES {
                let last = why;
                return Err(WorkersError::SameCandidate { times: losses, last }.into());
            }
        }
    }

    /// Asks one worker, at times about the unchanged input first.
    fn ask_worker(
        &self,
        worker: &Worker,
        candidate: &[u8],
        stop: &CancelToken,
    ) -> io::Result<Reply> {
        let Some(terms) = self.shared.terms.get() else {
            return Ok(Reply::Lost("it was not examined".to_owned()));
        };
        if terms.is_steady() && comes_after_examination(candidate) {
            match worker.test(&terms.failing, false, terms.patience_for(worker), stop)? {
                Reply::Answer(answer) if answer.observation().outcome == Outcome::Fail => {}
                Reply::Answer(answer) => {
                    let how = in_words(answer.observation().ending);
                    let why =
                        format!("the unchanged input does not reproduce there any more: it {how}");
                    return Ok(Reply::Changed(why));
                }
                other => return Ok(other),
            }
        }
        worker.test(candidate, false, terms.patience_for(worker), stop)
    }

    /// Waits for a free slot, if a host is to be avoided at another one.
    fn take_slot(
        &self,
        avoided: Option<&str>,
        stop: &CancelToken,
    ) -> Result<TakenSlot, OracleError> {
        loop {
            if stop.is_set() {
                return Ok(TakenSlot::Stopped);
            }
            let mut slots = self.shared.slots();
            if slots.own > 0 {
                slots.own -= 1;
                return Ok(TakenSlot::Own);
            }
            let may_be_asked =
                |at: usize| avoided.is_none_or(|avoided| slots.of_workers[at].host != avoided);
            let has_other = slots.free().any(|(at, _)| may_be_asked(at));
            // Whoever has the largest part of its slots free gets the next one, so that all have
            // work.
            let part = |free: &Free| free.free * 1000 / free.jobs;
            if avoided.is_some() && self.shared.own_jobs == 0 && !has_other {
                return Ok(TakenSlot::NoOtherHost);
            }
            let best = slots.free().filter(|(at, free)| free.free > 0 && may_be_asked(*at));
            if let Some((at, free)) = best.max_by_key(|(_, free)| part(free)) {
                let worker = self.shared.worker(at);
                let Some(why) = worker.lost() else {
                    let taken = Free { free: free.free - 1, ..free };
                    let place = &mut slots.of_workers[at];
                    place.presence = Presence::There(taken);
                    let host = place.host.clone();
                    return Ok(TakenSlot::Worker { at, worker, host });
                };
                // It was lost while it had nothing to do.
                drop(slots);
                self.remove(at, &worker, &why, Return::IfLeft);
                continue;
            }
            let is_away = |place: &Place| matches!(place.presence, Presence::Away);
            if self.shared.own_jobs == 0 && slots.of_workers.iter().all(is_away) {
                let places = (0..self.shared.workers.len()).rev();
                let last = places.map(|at| self.shared.worker(at)).find_map(|worker| worker.lost());
                return Err(WorkersError::AllLost { last: last.unwrap_or_default() }.into());
            }
            let waited = self.shared.changed.wait_timeout(slots, NOTICED_WITHIN);
            drop(waited);
        }
    }

    /// Gives a lost worker no more candidates, and has its command started again if that is wanted.
    fn remove(&self, at: usize, worker: &Arc<Worker>, why: &str, comes_back: Return) {
        let mut slots = self.shared.slots();
        let place = &mut slots.of_workers[at];
        // Its other candidates are lost as well, and another one may be in its place by now.
        let is_new = matches!(place.presence, Presence::There(_))
            && Arc::ptr_eq(worker, &self.shared.worker(at));
        if is_new {
            let returns = comes_back == Return::IfLeft && place.returns_left > 0;
            place.presence = if returns { Presence::Returning } else { Presence::Away };
            place.returns_left = place.returns_left.saturating_sub(1);
            let lost = LostWorker { command: worker.command().to_owned(), why: why.to_owned() };
            self.shared.tell(WorkerNews::Lost(lost));
            if returns {
                let (shared, leaving) = (Arc::clone(&self.shared), self.leaving.clone());
                match spawn_thread(move || shared.restart(at, &leaving)) {
                    Ok(thread) => {
                        let mut all = self.returns.lock().unwrap_or_else(PoisonError::into_inner);
                        all.retain(|thread| !thread.is_finished());
                        all.push(thread);
                    }
                    Err(_) => place.presence = Presence::Away,
                }
            }
        }
        drop(slots);
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// Returns the worker that is or was at this place.
    fn worker(&self, at: usize) -> Arc<Worker> {
        Arc::clone(&self.workers[at].lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts the command of a lost worker again. Whoever is started must pass the examination as
    /// well.
    fn restart(&self, at: usize, leaving: &CancelToken) {
        let old = self.worker(at);
        let mut new_host = None;
        let presence = match self.start_again(old.command(), leaving) {
            Some((worker, Hello { jobs, host, .. })) => {
                new_host = Some(host);
                *self.workers[at].lock().unwrap_or_else(PoisonError::into_inner) = worker;
                self.tell(WorkerNews::Returned(old.command().to_owned()));
                Presence::There(Free { free: jobs, jobs })
            }
            None => Presence::Away,
        };
        let mut slots = self.slots();
        let place = &mut slots.of_workers[at];
        place.presence = presence;
        place.host = new_host.unwrap_or_default();
        drop(slots);
        self.changed.notify_all();
    }

    fn start_again(&self, command: &str, leaving: &CancelToken) -> Option<(Arc<Worker>, Hello)> {
        let terms = self.terms.get()?;
        let worker = Worker::start(command, &self.version, self.silence).ok()?;
        let first_ready = Mutex::new(Some(Instant::now()));
        let examiner = Examiner { terms, first_ready: &first_ready, stop: leaving };
        // If it does not pass, it ends with this value.
        let hello = examiner.examine(&worker).ok()?;
        Some((Arc::new(worker), hello))
    }

    /// Gives the slot of a worker back, or one of our own.
    fn leave(&self, worker: Option<(usize, &Arc<Worker>)>) {
        let mut slots = self.slots();
        match worker {
            None => slots.own += 1,
            Some((at, worker)) => {
                // Another one may be in its place by now.
                if let Presence::There(free) = &mut slots.of_workers[at].presence
                    && Arc::ptr_eq(worker, &self.worker(at))
                {
                    free.free += 1;
                }
            }
        }
        drop(slots);
        self.changed.notify_one();
    }

    fn tell(&self, news: WorkerNews) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).push(news);
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slots {
    /// Returns the workers that are there, with their slots.
    fn free(&self) -> impl Iterator<Item = (usize, Free)> {
        self.of_workers.iter().enumerate().filter_map(|(at, place)| match place.presence {
            Presence::There(free) => Some((at, free)),
            Presence::Away | Presence::Returning => None,
        })
    }
}

fn no_pipe(error: io::Error) -> OracleError {
    OracleError::Start { program: "a test by a worker".into(), error }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.leaving.set();
        // All end at the same time.
        (0..self.shared.workers.len()).for_each(|at| self.shared.worker(at).close());
        let returns = self.returns.get_mut().unwrap_or_else(PoisonError::into_inner);
        for thread in returns.drain(..) {
            // It has nothing to tell.
            let _ = thread.join();
        }
    }
}

impl Tested {
    fn only(seen: Observation) -> Self {
        Self { seen, elsewhere: None }
    }
}

impl From<Asked> for Tested {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::Here(seen) => Self::only(seen),
            Asked::There(There { answer, .. }) => answer.into(),
            Asked::Stopped => Self::only(Reply::stopped()),
        }
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

/// An [`Examination`] that outlives its first workers.
#[derive(Debug)]
struct Terms {
    /// The test, as all workers get it.
    test: Arc<Vec<u8>>,
    tools: Fingerprint,
    failing: Vec<u8>,
    passing: Vec<u8>,
    retry: RetryPolicy,
    may_have_other_tools: bool,
    patience: Duration,
    /// How long one candidate may take on a worker with one job.
    longest_test: Duration,
}

impl Terms {
    fn of(examination: &Examination<'_>) -> io::Result<Self> {
        Ok(Self {
            test: test_frame(examination.test)?,
            tools: examination.test.tools(),
            failing: examination.failing.to_owned(),
            passing: examination.passing.to_owned(),
            retry: examination.retry,
            may_have_other_tools: examination.may_have_other_tools,
            patience: examination.patience,
            longest_test: examination.test.longest(),
        })
    }

    /// Returns whether one answer of the test is enough.
    fn is_steady(&self) -> bool {
        self.retry == RetryPolicy::Repeat(1)
    }

    /// Returns how long the answer of a worker may take. What takes too long there among others
    /// runs again alone, when those are done that do so as well.
    fn patience_for(&self, worker: &Worker) -> Duration {
        let jobs = u32::try_from(worker.jobs()).unwrap_or(u32::MAX);
        self.longest_test.saturating_mul(jobs.saturating_add(2)).saturating_add(self.patience)
    }
}

/// Where one worker is examined.
struct Examiner<'a> {
    terms: &'a Terms,
    /// When the first worker passed.
    first_ready: &'a Mutex<Option<Instant>>,
    stop: &'a CancelToken,
}

impl Examiner<'_> {
    /// Returns the greeting of a worker that can be used.
    fn examine(&self, worker: &Worker) -> Result<Hello, String> {
        let gives_up = || self.stop.is_set() || self.is_late();
        let late = || match self.stop.is_set() {
            true => "it was not ready when the run was stopped".to_owned(),
            false => {
                format!("it was not ready within {} s", self.terms.patience.as_secs_f32())
            }
        };
        let hello = worker.hello(&gives_up)?.ok_or_else(late)?;
        let tools = worker.prepare(&self.terms.test, &gives_up)?.ok_or_else(late)?;
        if !self.terms.may_have_other_tools
            && let Some(difference) = difference(&self.terms.tools, &tools)
        {
            return Err(format!("its tools differ: {difference}"));
        }
        let Terms { failing, passing, .. } = self.terms;
        let single = Single { worker, terms: self.terms, told: Mutex::default() };
        let oracle = self.terms.retry.oracle(&single);
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
        first.is_some_and(|first| first.elapsed() > self.terms.patience)
    }
}

/// One worker as a test.
struct Single<'a> {
    worker: &'a Worker,
    terms: &'a Terms,
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
        let patience = self.terms.patience_for(self.worker);
        match self.worker.test(candidate, true, patience, stop).map_err(no_pipe)? {
            Reply::Stopped => Ok(Reply::stopped()),
            Reply::Answer(answer) => {
                let failure = answer.failure.as_ref().map(|failure| format!(", as '{failure}'"));
                let output = lines(&answer.output);
                let seen = answer.observation();
                let how = in_words(seen.ending);
                self.tell(format!("it {how}{}{output}", failure.unwrap_or_default()));
                Ok(seen)
            }
            Reply::Broken(Broken { why, code, output, .. }) => {
                self.tell(format!("{why}{}", lines(&output)));
                Err(OracleError::Broken { code: code.unwrap_or(126), output })
            }
            Reply::Lost(why) | Reply::Changed(why) => {
                self.tell(why.clone());
                Err(WorkersError::AllLost { last: why }.into())
            }
        }
    }
}

/// Returns the lines that a test wrote, below a message.
fn lines(output: &str) -> String {
    output.lines().map(|line| format!("\n  | {}", in_line(line))).collect()
}
