//! A worker: the process of its command, and what is said to and by the agent at the other end.
//!
//! One thread writes and two read, so that nobody who asks ever waits for a pipe that is full.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, BufReader, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::process::{ChildStderr, ChildStdout, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use minirepro_runner::system::{lock, pipe, spawn_thread};
use minirepro_runner::{CancelToken, Helper, OracleError, TestEnd, WorkersError};

use crate::frame::{self, PREAMBLE, find_preamble, frame, invalid};
use crate::message::{Answer, Broken, FromAgent, Hello, ToAgent};

/// How much longer than the test itself an answer may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// The bytes that any connection carries each second.
const SLOWEST: u64 = 16 << 10;
/// The bytes of standard error that are kept.
const KEPT: usize = 2 << 10;

/// A worker.
#[derive(Debug)]
pub(crate) struct Worker {
    pub command: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Ends when it has greeted, or is lost.
    greeted: PipeReader,
    /// How long its agent may take for one test.
    longest_test: Duration,
}

#[derive(Debug)]
struct Shared {
    /// The version of the program.
    version: String,
    process: Mutex<Option<Helper>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What is to be said; its end is that of the input of the process.
    outbox: Option<Sender<Vec<u8>>>,
    hello: Option<Hello>,
    /// Who waits for answers, and for the greeting as number 0: the end of a pipe is dropped with a
    /// reply.
    pending: HashMap<u64, (Sender<FromAgent>, PipeWriter)>,
    last_id: u64,
    /// Why nothing more will be heard.
    lost: Option<String>,
    /// Whether somebody knows that.
    is_told: bool,
}

impl Worker {
    /// Starts the command by a shell.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(command: &str, version: &str, longest_test: Duration) -> io::Result<Self> {
        let (greeted, greeting) = pipe()?;
        let (process, (mut input, output, errors)) = Helper::start(command)?;
        let (outbox, said) = channel();
        let pending = HashMap::from([(0, (channel().0, greeting))]);
        let state = State { outbox: Some(outbox), pending, ..State::default() };
        let shared = Arc::new(Shared {
            version: version.to_owned(),
            process: Mutex::new(Some(process)),
            state: Mutex::new(state),
        });
        // If the input is gone, the output says what became of it.
        spawn_thread(move || said.iter().try_for_each(|bytes: Vec<u8>| input.write_all(&bytes)))?;
        let errors = LastWords::of(errors)?;
        let thread = Arc::clone(&shared);
        let thread = Some(spawn_thread(move || thread.attend(output, &errors))?);
        Ok(Self { command: command.to_owned(), shared, thread, greeted, longest_test })
    }

    /// Waits for the greeting, and sends the test; `None` if `stop` is set before.
    ///
    /// # Errors
    /// If the worker is lost.
    pub fn greet(&self, test: &[u8], stop: &CancelToken) -> Result<Option<Hello>, OracleError> {
        if !wait(&self.greeted, None, stop) {
            return Ok(None);
        }
        // The lock ends with the line: `loss` takes it, too.
        let hello = self.shared.state().hello.clone();
        let hello = hello.ok_or_else(|| self.loss("it ended"))?;
        self.send([PREAMBLE, test].concat());
        Ok(Some(hello))
    }

    /// Tests a candidate; `None` if `stop` is set before. If it does not reproduce and `explain` is
    /// set, the answer has the last lines that the test wrote. A worker that does not answer in
    /// time is lost.
    ///
    /// # Errors
    /// If the worker is lost, or the test does not work there.
    pub fn test(
        &self,
        candidate: &[u8],
        explain: bool,
        stop: &CancelToken,
    ) -> Result<Option<Answer>, OracleError> {
        let (notify, notifier) = pipe().map_err(|error| self.loss(&error.to_string()))?;
        let (sender, reply) = channel();
        let mut state = self.shared.state();
        state.last_id += 1;
        let id = state.last_id;
        if state.lost.is_some() {
            drop(state);
            return Err(self.loss(""));
        }
        state.pending.insert(id, (sender, notifier));
        let jobs = state.hello.as_ref().map_or(1, |hello| hello.jobs);
        drop(state);
        let message = |message: ToAgent, body: &[u8]| {
            frame(&message, body).map_err(|error| self.loss(&error.to_string()))
        };
        // What takes too long there among others runs again alone, when those are done that do so
        // as well.
        let on_the_way = Duration::from_secs(candidate.len() as u64 / SLOWEST);
        let patience =
            self.longest_test.saturating_mul(u32::from(jobs) + 2) + PATIENCE + on_the_way;
        let end = Instant::now().checked_add(patience);
        self.send(message(ToAgent::Candidate { id, explain }, candidate)?);
        if !wait(&notify, end, stop) {
            if stop.is_set() {
                self.shared.state().pending.remove(&id);
                self.send(message(ToAgent::Cancel { id }, b"")?);
                return Ok(None);
            }
            self.lose(&format!("it gave no answer within {:.0} s", patience.as_secs_f64().ceil()));
        }
        match reply.try_recv() {
            Ok(FromAgent::Answer(answer)) if answer.end != TestEnd::Stopped => Ok(Some(answer)),
            Ok(FromAgent::Broken(Broken { code: Some(code), output, .. })) => {
                let output = format!("on worker {}:\n{output}", self.command);
                Err(OracleError::Broken { code, output })
            }
            // What a dying machine says counts for nothing when nobody wants to know any more.
            _ if stop.is_set() => Ok(None),
            Ok(FromAgent::Broken(Broken { why, .. })) => Err(self.loss(&in_line(&why))),
            _ => Err(self.loss("its agent was told to end")),
        }
    }

    fn send(&self, bytes: Vec<u8>) {
        if let Some(outbox) = &self.shared.state().outbox {
            // If the input is gone, the output says what became of it.
            let _ = outbox.send(bytes);
        }
    }

    /// Returns why it is lost, if it is.
    pub fn lost(&self) -> Option<String> {
        self.shared.state().lost.clone()
    }

    /// Returns the same, but once.
    pub fn newly_lost(&self) -> Option<String> {
        let mut state = self.shared.state();
        let lost = state.lost.clone().filter(|_| !state.is_told);
        state.is_told |= lost.is_some();
        lost
    }

    /// Loses it for this reason, if it is not lost for another one, which is the error.
    fn loss(&self, why: &str) -> OracleError {
        self.lose(why);
        WorkersError::AllLost { last: self.lost().unwrap_or_default() }.into()
    }

    /// Asks it nothing more, for this reason, which whoever waits for an answer gets to hear.
    pub fn lose(&self, why: &str) {
        self.shared.lose(why);
    }

    /// Waits for its end.
    pub fn close(&mut self) {
        self.lose("it was closed");
        let process = lock(&self.shared.process).take();
        match (process, self.thread.take()) {
            (Some(process), _) => drop(process.end(Helper::FAREWELL)),
            // The thread ends it.
            (None, Some(thread)) => drop(thread.join()),
            (None, None) => {}
        }
    }
}

/// Waits for the end of a pipe; returns whether it came before `stop` and the end of time.
fn wait(pipe: &PipeReader, end: Option<Instant>, stop: &CancelToken) -> bool {
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut fds = [PollFd::new(pipe, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
        // Whatever happens, the loop looks again.
        let _ = poll(&mut fds, timeout.as_ref());
        if !fds[0].revents().is_empty() {
            return true;
        }
        if stop.is_set() || left.is_some_and(|left| left.is_zero()) {
            return false;
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn lose(&self, why: &str) {
        let mut state = self.state();
        state.lost.get_or_insert_with(|| why.to_owned());
        state.outbox = None;
        state.pending.clear();
    }

    /// Reads until nothing more will be understood, and ends the process.
    fn attend(&self, output: ChildStdout, errors: &LastWords) {
        let mut input = BufReader::new(output);
        let mut noise = Vec::new();
        let Err(why) = find_preamble(&mut input, &mut noise).and_then(|()| self.hear(&mut input));
        let mut patience = Helper::FAREWELL;
        if why.kind() == ErrorKind::InvalidData {
            self.lose(&why.to_string());
            patience = Duration::ZERO;
        }
        self.state().outbox = None;
        let process = lock(&self.process).take();
        let status = process.map(|process| process.end(patience));
        if self.state().hello.is_some() {
            noise.clear();
        }
        self.lose(&ended_by_itself(status, &[&errors.heard(), &noise]));
    }

    /// Takes messages; returns why there are no more.
    fn hear(&self, input: &mut impl Read) -> io::Result<Infallible> {
        loop {
            let (message, _) = frame::read(input)?;
            let mut state = self.state();
            let id = match &message {
                FromAgent::Hello(hello) if hello.minirepro != self.version => {
                    let theirs = in_line(&hello.minirepro);
                    let why = format!("its minirepro is version {theirs}, not {}", self.version);
                    return Err(invalid(why));
                }
                FromAgent::Hello(hello) => {
                    state.hello = Some(hello.clone());
                    0
                }
                FromAgent::Answer(Answer { id, .. }) | FromAgent::Broken(Broken { id, .. }) => *id,
            };
            if id > state.last_id {
                return Err(invalid("it answered what it was not asked"));
            }
            // What nobody waits for any more is forgotten.
            if let Some((reply, _notifier)) = state.pending.remove(&id) {
                let _ = reply.send(message);
            }
        }
    }
}

/// The last of what a process writes to its standard error.
struct LastWords {
    words: Arc<Mutex<Vec<u8>>>,
    /// Ends with the standard error.
    ended: Receiver<Infallible>,
}

impl LastWords {
    fn of(mut errors: ChildStderr) -> io::Result<Self> {
        let words = Arc::new(Mutex::new(Vec::new()));
        let (end, ended) = channel();
        let kept = Arc::clone(&words);
        spawn_thread(move || {
            let _end = end;
            let mut chunk = [0; 4 << 10];
            while let Ok(length @ 1..) = errors.read(&mut chunk) {
                let mut kept = lock(&kept);
                kept.extend_from_slice(&chunk[..length]);
                let surplus = kept.len().saturating_sub(KEPT);
                kept.drain(..surplus);
            }
        })?;
        Ok(Self { words, ended })
    }

    /// Returns them when the process has ended. What it leaves behind may hold the pipe.
    fn heard(&self) -> Vec<u8> {
        let _ = self.ended.recv_timeout(Duration::from_secs(1));
        std::mem::take(&mut *lock(&self.words))
    }
}

/// Says how a process ended, with the last lines that it wrote.
fn ended_by_itself(status: Option<io::Result<ExitStatus>>, words: &[&[u8]]) -> String {
    let mut why = match status {
        Some(Ok(status)) if !status.success() => format!("it ended with {status}"),
        Some(Err(error)) => format!("it ended: {error}"),
        _ => "it ended".to_owned(),
    };
    for words in words {
        let text = String::from_utf8_lossy(&words[words.len().saturating_sub(KEPT)..]);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(3)..].iter();
        why.extend(last.map(|line| format!("; {}", in_line(line.trim()))));
    }
    why
}

/// Returns what somebody else says as a part of one line, so that it cannot look like a line of
/// ours.
pub(crate) fn in_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}
