//! A worker: the process of its command, and what is said to and by the agent at the other end.
//!
//! One thread writes and two read, so that nobody who asks ever waits for a pipe that is full.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{ChildStderr, ChildStdout, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use minirepro_runner::system::{lock, spawn_thread};
use minirepro_runner::{CancelToken, Helper, NOTICED_WITHIN, OracleError, TestEnd, WorkersError};

use crate::line::{first, invalid, line, read};
use crate::message::{Answer, Broken, FromAgent, Hello, ToAgent};

/// How much longer than the test itself an answer may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// The bytes that any connection carries each second.
const SLOWEST: u64 = 16 << 10;
/// The bytes that may come before its agent greets, and with the greeting.
const MOST_NOISE: u64 = 1 << 20;
/// The bytes of standard error that are kept.
const KEPT: usize = 2 << 10;

/// A worker.
#[derive(Debug)]
pub(crate) struct Worker {
    pub command: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Its greeting, once.
    greeting: Mutex<Receiver<FromAgent>>,
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
    /// Who waits for answers, and for the greeting as number 0.
    pending: HashMap<u64, Sender<FromAgent>>,
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
        let (greet, greeting) = channel();
        let (process, (mut input, output, errors)) = Helper::start(command)?;
        let (outbox, said) = channel();
        let pending = HashMap::from([(0, greet)]);
        let state = State { outbox: Some(outbox), pending, ..State::default() };
        let shared = Arc::new(Shared {
            version: version.to_owned(),
            process: Mutex::new(Some(process)),
            state: Mutex::new(state),
        });
        // If the input is gone, the output says what became of it.
        spawn_thread(move || said.iter().try_for_each(|bytes: Vec<u8>| input.write_all(&bytes)))?;
        let errors = last_words(errors)?;
        let thread = Arc::clone(&shared);
        let thread = Some(spawn_thread(move || thread.attend(output, &errors))?);
        let (command, greeting) = (command.to_owned(), Mutex::new(greeting));
        Ok(Self { command, shared, thread, greeting, longest_test })
    }

    /// Waits for the greeting, and sends the test; `None` if `stop` is set before.
    ///
    /// # Errors
    /// If the worker is lost, or it is late.
    pub fn greet(
        &self,
        test: &[u8],
        end: impl Fn() -> Option<Instant>,
        stop: &CancelToken,
    ) -> Result<Option<Hello>, OracleError> {
        match wait(&lock(&self.greeting), end, stop) {
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if stop.is_set() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("it was not ready within {} s", PATIENCE.as_secs());
                return Err(self.loss(&why));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.loss("it ended")),
        }
        let hello = self.shared.state().hello.clone();
        self.send(test.to_vec());
        Ok(hello)
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
        let (sender, reply) = channel();
        let mut state = self.shared.state();
        state.last_id += 1;
        let id = state.last_id;
        if state.lost.is_some() {
            drop(state);
            return Err(self.loss(""));
        }
        state.pending.insert(id, sender);
        let jobs = state.hello.as_ref().map_or(1, |hello| hello.jobs);
        drop(state);
        let said = |message: ToAgent| line(&message).map_err(|error| self.loss(&error.to_string()));
        // What takes too long there among others runs again alone, when those are done that do so
        // as well.
        let on_the_way = Duration::from_secs(candidate.len() as u64 / SLOWEST);
        let patience =
            self.longest_test.saturating_mul(u32::from(jobs) + 2) + PATIENCE + on_the_way;
        let end = Instant::now().checked_add(patience);
        let text = BASE64_STANDARD.encode(candidate);
        self.send(said(ToAgent::Candidate { id, explain, text })?);
        match wait(&reply, || end, stop) {
            Ok(FromAgent::Answer(answer)) if answer.end != TestEnd::Stopped => Ok(Some(answer)),
            Ok(FromAgent::Broken(Broken { code: Some(code), output, .. })) => {
                let output = format!("on worker {}:\n{output}", self.command);
                Err(OracleError::Broken { code, output })
            }
            // What a dying machine says counts for nothing when nobody wants to know any more.
            _ if stop.is_set() => {
                self.shared.state().pending.remove(&id);
                self.send(said(ToAgent::Cancel { id })?);
                Ok(None)
            }
            Err(RecvTimeoutError::Timeout) => {
                let seconds = patience.as_secs_f64().ceil();
                Err(self.loss(&format!("it gave no answer within {seconds:.0} s")))
            }
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

/// Waits for a message; in vain if there will be none, or `stop` is set or the time over before.
fn wait(
    messages: &Receiver<FromAgent>,
    end: impl Fn() -> Option<Instant>,
    stop: &CancelToken,
) -> Result<FromAgent, RecvTimeoutError> {
    loop {
        let heard = messages.recv_timeout(NOTICED_WITHIN);
        let is_over = stop.is_set() || end().is_some_and(|end| Instant::now() >= end);
        if !matches!(heard, Err(RecvTimeoutError::Timeout)) || is_over {
            return heard;
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
    fn attend(&self, output: ChildStdout, errors: &Receiver<Vec<u8>>) {
        let mut input = BufReader::new(output);
        let mut noise = Vec::new();
        let greeting = first(&mut input, MOST_NOISE, &mut noise);
        let Err(why) = greeting.and_then(|message| self.hear(message, &mut input));
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
        // What it leaves behind may hold the pipe.
        let errors = errors.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        self.lose(&ended_by_itself(status, &[&errors, &noise]));
    }

    /// Takes messages; returns why there are no more.
    fn hear(&self, first: FromAgent, input: &mut impl BufRead) -> io::Result<Infallible> {
        let mut message = first;
        loop {
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
            if let Some(reply) = state.pending.remove(&id) {
                let _ = reply.send(message);
            }
            drop(state);
            message = read(input)?;
        }
    }
}

/// Returns the last of what a process writes to its standard error, once that ends.
fn last_words(mut errors: ChildStderr) -> io::Result<Receiver<Vec<u8>>> {
    let (tell, words) = channel();
    spawn_thread(move || {
        let (mut kept, mut chunk) = (Vec::new(), [0; 4 << 10]);
        while let Ok(length @ 1..) = errors.read(&mut chunk) {
            kept.extend_from_slice(&chunk[..length]);
            kept.drain(..kept.len().saturating_sub(KEPT));
        }
        let _ = tell.send(kept);
    })?;
    Ok(words)
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
