//! An agent: it gets a test and candidates through a pipe and answers through another.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use minirepro_engine::Outcome;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use minirepro_runner::system::spawn_scoped;
use minirepro_runner::{
    CancelToken, Description, Digest, Gate, Observation, OracleError, SentTest, Signature, TestEnd,
};

use crate::frame::{Decoder, Frame, FrameError, PREAMBLE};
use crate::message::{Answer, Broken, Candidate, FromAgent, Hello, PROTOCOL, ToAgent, frame};

/// The longest time between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// An agent that hears nothing for so long is alone.
const ABANDONED: Duration = Duration::from_secs(300);

/// Why an agent ended before its input did.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its input or output fails.
    #[error("cannot talk to the run: {0}")]
    Pipe(#[from] io::Error),
    /// Nobody speaks to it who knows how.
    #[error(
        "standard input does not come from a run of minirepro: an agent is started by \
         --workers 'minirepro agent'"
    )]
    NoRun,
    /// Its input is damaged.
    #[error("what comes from the run is damaged")]
    Damaged,
    /// The run does not say that it lives.
    #[error("the run has said nothing for {} s", ABANDONED.as_secs())]
    Abandoned,
}

impl From<FrameError> for AgentError {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::NoPreamble => Self::NoRun,
            FrameError::Damaged | FrameError::TooLong => Self::Damaged,
        }
    }
}

/// Runs tests for a run that speaks through `input` and listens to `output`, `jobs` at a time,
/// until the input ends or `stop` is set. Nothing of a test is left then.
///
/// `version` is that of the program.
///
/// # Errors
/// If the input or the output fails or makes no sense. All tests are ended in that case, too.
pub fn serve<I, O>(
    input: I,
    output: O,
    jobs: usize,
    version: &str,
    stop: &CancelToken,
) -> Result<(), AgentError>
where
    I: Read + AsFd,
    O: Write + Send,
{
    let replies = Replies(Mutex::new(output));
    let mut requests = Requests { input, decoder: Decoder::default(), heard: Instant::now() };
    let jobs = jobs.max(1);
    replies.write(PREAMBLE)?;
    replies.say(&FromAgent::Hello(hello(jobs, version)))?;
    // Whatever ends this agent ends its tests.
    let end = stop.below()?;
    let Some((description, body)) = requests.test(&replies, &end)? else { return Ok(()) };
    let test = match SentTest::new(&description, &body) {
        Ok(test) => test,
        Err(why) => {
            replies.say(&FromAgent::Unusable { why })?;
            return requests.wait_for_end(&replies, &end);
        }
    };
    replies.say(&FromAgent::Ready { tools: description.tools(&body) })?;
    drop(body);
    let runner = TestRunner {
        test,
        gate: Gate::default(),
        jobs,
        running: Mutex::default(),
        guard_runs_told: Mutex::default(),
    };
    let (queue, tasks) = channel();
    let tasks = Mutex::new(tasks);
    thread::scope(|scope| {
        for worker in 0..jobs {
            let (runner, tasks, replies, end) = (&runner, &tasks, &replies, &end);
            match spawn_scoped(scope, move || runner.work(tasks, replies, end)) {
                // With fewer, tests only wait longer.
                Err(error) if worker == 0 => return Err(error.into()),
                Err(_) => break,
                Ok(()) => {}
            }
        }
        let ended = requests.attend(&runner, queue, &replies, &end);
        end.set();
        ended
    })
}

fn hello(jobs: usize, version: &str) -> Hello {
    let system = rustix::system::uname();
    let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    Hello {
        protocol: PROTOCOL,
        minirepro: version.to_owned(),
        jobs,
        host: text(system.nodename()),
        system: format!("{} {}", text(system.sysname()).to_lowercase(), text(system.machine())),
    }
}

/// The output, which one at a time writes to.
struct Replies<O>(Mutex<O>);

impl<O: Write> Replies<O> {
    fn say(&self, message: &FromAgent) -> io::Result<()> {
        let bytes = frame(message, b"").map_err(io::Error::other)?;
        self.write(&bytes)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(bytes)?;
        output.flush()
    }
}

/// The input.
struct Requests<I> {
    input: I,
    decoder: Decoder,
    /// When the last bytes came.
    heard: Instant,
}

impl<I: Read + AsFd> Requests<I> {
    /// Returns the next message; `None` when there will be none. Gives signs of life meanwhile.
    fn receive(
        &mut self,
        replies: &Replies<impl Write>,
        end: &CancelToken,
    ) -> Result<Option<(ToAgent, Vec<u8>)>, AgentError> {
        let mut chunk = vec![0; 64 << 10];
        loop {
            if let Some(Frame { message, body }) = self.decoder.next()? {
                let message = serde_json::from_slice(&message);
                return Ok(Some((message.map_err(|_| AgentError::Damaged)?, body)));
            }
            let mut fds =
                [PollFd::new(&self.input, PollFlags::IN), PollFd::new(end, PollFlags::IN)];
            let heartbeat = Timespec::try_from(HEARTBEAT).unwrap_or_default();
            let polled = poll(&mut fds, Some(&heartbeat));
            let [input, _] = fds.map(|fd| !fd.revents().is_empty());
            if end.is_set() {
                return Ok(None);
            }
            match polled {
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(io::Error::from(error).into()),
                Ok(0) => replies.say(&FromAgent::Alive)?,
                Ok(_) => {}
            }
            if input {
                match self.input.read(&mut chunk) {
                    Ok(0) => return Ok(None),
                    Ok(length) => self.decoder.push(&chunk[..length]),
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::Interrupted | ErrorKind::WouldBlock
                        ) => {}
                    Err(error) => return Err(error.into()),
                }
                self.heard = Instant::now();
            } else if self.heard.elapsed() > ABANDONED {
                return Err(AgentError::Abandoned);
            }
        }
    }

    /// Waits for the test.
    fn test(
        &mut self,
        replies: &Replies<impl Write>,
        end: &CancelToken,
    ) -> Result<Option<(Description, Vec<u8>)>, AgentError> {
        loop {
            match self.receive(replies, end)? {
                Some((ToAgent::Test(description), body)) => return Ok(Some((*description, body))),
                Some(_) => {}
                None if self.decoder.noise().is_empty() => return Ok(None),
                None if end.is_set() => return Ok(None),
                None => return Err(AgentError::NoRun),
            }
        }
    }

    /// Hears out a run whose test cannot be run here.
    fn wait_for_end(
        &mut self,
        replies: &Replies<impl Write>,
        end: &CancelToken,
    ) -> Result<(), AgentError> {
        while self.receive(replies, end)?.is_some() {}
        Ok(())
    }

    /// Takes candidates until the input ends.
    fn attend(
        &mut self,
        runner: &TestRunner,
        queue: Sender<Task>,
        replies: &Replies<impl Write>,
        end: &CancelToken,
    ) -> Result<(), AgentError> {
        while let Some((message, body)) = self.receive(replies, end)? {
            match message {
                ToAgent::Candidate(candidate) => {
                    if Digest::of(&body) != candidate.digest {
                        return Err(AgentError::Damaged);
                    }
                    let stop = end.below()?;
                    runner.running().insert(candidate.id, stop.clone());
                    // Those who take from the queue live as long as it does.
                    let _ = queue.send(Task { candidate, text: body, stop });
                }
                ToAgent::Cancel { id } => {
                    if let Some(stop) = runner.running().get(&id) {
                        stop.set();
                    }
                }
                ToAgent::Test(_) | ToAgent::Alive | ToAgent::Unknown(_) => {}
            }
        }
        Ok(())
    }
}

/// A candidate that waits to be tested.
struct Task {
    candidate: Candidate,
    text: Vec<u8>,
    stop: CancelToken,
}

/// Where tests are run.
struct TestRunner {
    test: SentTest,
    gate: Gate,
    jobs: usize,
    /// The requests to end tests, by the numbers of their candidates.
    running: Mutex<HashMap<u64, CancelToken>>,
    guard_runs_told: Mutex<u64>,
}

impl TestRunner {
    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<u64, CancelToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tests one candidate after the other.
    fn work(
        &self,
        tasks: &Mutex<Receiver<Task>>,
        replies: &Replies<impl Write>,
        end: &CancelToken,
    ) {
        let _all_end_together = EndOnPanic(end);
        loop {
            let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(task) = next else { return };
            let message = self.answer(&task);
            self.running().remove(&task.candidate.id);
            if replies.say(&message).is_err() {
                // Nobody listens any more.
                end.set();
            }
        }
    }

    fn answer(&self, Task { candidate, text, stop }: &Task) -> FromAgent {
        let id = candidate.id;
        let (seen, failure) = match self.look(text, stop) {
            Ok(seen) => seen,
            Err(OracleError::Broken { code, output }) => {
                let why = format!("the test ended with exit code {code}");
                return FromAgent::Broken(Broken { id, why, code: Some(code), output });
            }
            Err(error) => {
                let why = error.to_string();
                return FromAgent::Broken(Broken { id, why, code: None, output: String::new() });
            }
        };
        let explains = candidate.explain && seen.outcome != Outcome::Fail && !stop.is_set();
        let output = if explains { self.test.explain(text, stop) } else { String::new() };
        FromAgent::Answer(Answer {
            id,
            outcome: seen.outcome.into(),
            end: seen.ending.into(),
            seconds: seen.time.as_secs_f64(),
            failure,
            guards: self.new_guard_runs(),
            output,
        })
    }

    /// Returns how often guards were run that no answer has mentioned.
    fn new_guard_runs(&self) -> u64 {
        let mut told = self.guard_runs_told.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.test.guard_runs();
        all - std::mem::replace(&mut *told, all)
    }

    fn look(
        &self,
        text: &[u8],
        stop: &CancelToken,
    ) -> Result<(Observation, Option<Signature>), OracleError> {
        if stop.is_set() {
            let (outcome, ending) = (Outcome::Unresolved, TestEnd::Stopped);
            return Ok((Observation { outcome, ending, time: Duration::ZERO }, None));
        }
        let test = || self.test.look(text, stop);
        if self.jobs == 1 {
            return test();
        }
        let (first, mut last) =
            self.gate.run(test, |(seen, _)| seen.ending == TestEnd::TimedOut)?;
        last.0.time += first.map_or(Duration::ZERO, |(seen, _)| seen.time);
        Ok(last)
    }
}

/// Ends all tests if one of the threads that run them panics: its candidate would wait for ever.
struct EndOnPanic<'a>(&'a CancelToken);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.set();
        }
    }
}
