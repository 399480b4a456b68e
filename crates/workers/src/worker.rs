//! A worker: the process of its command, and what is said to and by the agent at the other end.
//!
//! One thread does all reading and writing, so that nobody who asks ever waits for a pipe that is
//! full.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use minirepro_engine::Outcome;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use minirepro_runner::system::{pipe, spawn_thread};
use minirepro_runner::{
    CancelToken, DescribedTest, Digest, Fingerprint, Helper, NOTICED_WITHIN, Observation, TestEnd,
};

use crate::frame::{Decoder, Frame, PREAMBLE};
use crate::message::{
    Answer, Broken, Candidate, FromAgent, Hello, PROTOCOL, ToAgent, frame, is_known_kind,
};

/// The longest time between two signs of life of ours.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// How long the end of a cancelled test is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// The bytes that any connection carries each second.
const SLOWEST: u64 = 16 << 10;
/// The bytes of standard error that are kept.
const KEPT: usize = 2 << 10;

/// A worker.
#[derive(Debug)]
pub(crate) struct Worker {
    command: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What an exchange about a candidate gave.
#[derive(Debug)]
pub(crate) enum Reply {
    Answer(Answer),
    Broken(Broken),
    /// The request to stop came before.
    Stopped,
    /// The worker was lost meanwhile, for this reason.
    Lost(String),
    /// It does not answer as it did when it was examined.
    Changed(String),
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Wakes the thread.
    wake: PipeWriter,
}

#[derive(Debug, Default)]
struct State {
    outbox: VecDeque<Arc<Vec<u8>>>,
    hello: Option<Hello>,
    ready: Option<Result<Fingerprint, String>>,
    pending: HashMap<u64, PendingReply>,
    last_id: u64,
    /// Why nothing more will be heard.
    lost: Option<String>,
    /// Why it should end, apart from all being done.
    dismissed: Option<String>,
    is_closing: bool,
}

/// A candidate that is being tested.
#[derive(Debug)]
struct PendingReply {
    reply: Option<Reply>,
    notify: PipeWriter,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, state: &mut State, bytes: Arc<Vec<u8>>) {
        if state.outbox.is_empty() {
            self.wake();
        }
        state.outbox.push_back(bytes);
    }

    fn wake(&self) {
        // If the pipe is full, the thread has been woken.
        let _ = (&self.wake).write(&[1]);
    }
}

impl Worker {
    /// Starts the command by a shell. A worker that says nothing for as long as `silence` is lost;
    /// before its greeting it may be silent for ever, since it may wait for a machine.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(command: &str, version: &str, silence: Duration) -> io::Result<Self> {
        let (woken, wake) = pipe()?;
        for end in [woken.as_fd(), wake.as_fd()] {
            rustix::io::ioctl_fionbio(end, true)?;
        }
        let (process, [input, output, errors]) = Helper::start(command, "worker")?;
        let state = Mutex::default();
        let shared = Arc::new(Shared { state, changed: Condvar::new(), wake });
        let line = Connection {
            shared: Arc::clone(&shared),
            version: version.to_owned(),
            silence,
            woken,
            input: Some(input),
            output: Some(output),
            errors: Some(errors),
            decoder: Decoder::default(),
            last_words: Vec::new(),
            sent: 0,
            heard: Instant::now(),
            told: Instant::now(),
        };
        shared.state().outbox.push_back(Arc::new(PREAMBLE.to_vec()));
        let thread = spawn_thread(move || line.attend(process))?;
        Ok(Self { command: command.to_owned(), shared, thread: Some(thread) })
    }

    /// Returns the command.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Waits for the greeting; `None` if the end of waiting comes first.
    ///
    /// # Errors
    /// If the worker is lost.
    pub fn hello(&self, gives_up: &dyn Fn() -> bool) -> Result<Option<Hello>, String> {
        self.wait(gives_up, |state| state.hello.clone())
    }

    /// Sends the test and waits until the agent is ready; returns the digests of its tools.
    ///
    /// # Errors
    /// If the worker is lost, or cannot run the test.
    pub fn prepare(
        &self,
        test: &Arc<Vec<u8>>,
        gives_up: &dyn Fn() -> bool,
    ) -> Result<Option<Fingerprint>, String> {
        self.shared.send(&mut self.shared.state(), Arc::clone(test));
        self.wait(gives_up, |state| state.ready.clone())?.transpose()
    }

    fn wait<T>(
        &self,
        gives_up: &dyn Fn() -> bool,
        get: impl Fn(&State) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let mut state = self.shared.state();
        loop {
            if let Some(got) = get(&state) {
                return Ok(Some(got));
            }
            if let Some(why) = &state.lost {
                return Err(why.clone());
            }
            if gives_up() {
                return Ok(None);
            }
            let waited = self.shared.changed.wait_timeout(state, NOTICED_WITHIN);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tests a candidate. If it does not reproduce and `explain` is set, the answer has the last
    /// lines that the test wrote. A worker that has not answered within `patience` is lost.
    ///
    /// # Errors
    /// If the system has no pipe left, or the candidate is too large.
    pub fn test(
        &self,
        candidate: &[u8],
        explain: bool,
        patience: Duration,
        stop: &CancelToken,
    ) -> io::Result<Reply> {
        let asked = Instant::now();
        // A long candidate may have a long way.
        let patience = patience + Duration::from_secs(candidate.len() as u64 / SLOWEST);
        let (notify, notifier) = pipe()?;
        let digest = Digest::of(candidate);
        let mut state = self.shared.state();
        if let Some(why) = &state.lost {
            return Ok(Reply::Lost(why.clone()));
        }
        state.last_id += 1;
        let id = state.last_id;
        let message = ToAgent::Candidate(Candidate { id, digest, explain });
        let bytes = frame(&message, candidate).map_err(io::Error::other)?;
        state.pending.insert(id, PendingReply { reply: None, notify: notifier });
        self.shared.send(&mut state, Arc::new(bytes));
        drop(state);
        let mut cancelled = None;
        loop {
            let left = match cancelled {
                Some(since) => PATIENCE.saturating_sub(Instant::elapsed(&since)),
                None => patience.saturating_sub(asked.elapsed()),
            };
            if left.is_zero() {
                self.shared.state().pending.remove(&id);
                if cancelled.is_some() {
                    return Ok(Reply::Stopped);
                }
                let why =
                    format!("it gave no answer within {:.0} s", patience.as_secs_f64().ceil());
                self.dismiss(&why);
                return Ok(Reply::Lost(why));
            }
            let timeout = Timespec::try_from(left).ok();
            let mut fds =
                vec![PollFd::new(&notify, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
            fds.truncate(if cancelled.is_some() { 1 } else { 2 });
            // Whatever happens, the loop looks again.
            let _ = poll(&mut fds, timeout.as_ref());
            let mut state = self.shared.state();
            if let Some(reply) =
                state.pending.get_mut(&id).and_then(|pending_reply| pending_reply.reply.take())
            {
                state.pending.remove(&id);
                return Ok(reply.unless_stopped(stop));
            }
            if stop.is_set() && cancelled.is_none() {
                cancelled = Some(Instant::now());
                let bytes = frame(&ToAgent::Cancel { id }, b"").map_err(io::Error::other)?;
                self.shared.send(&mut state, Arc::new(bytes));
            }
        }
    }

    /// Returns how many tests it runs at the same time, once it has said so.
    pub fn jobs(&self) -> usize {
        self.shared.state().hello.as_ref().map_or(1, |hello| hello.jobs)
    }

    /// Returns why it is lost, if it is.
    pub fn lost(&self) -> Option<String> {
        let state = self.shared.state();
        state.lost.as_ref().or(state.dismissed.as_ref()).cloned()
    }

    /// Ends it for this reason, which whoever waits for an answer gets to hear.
    pub fn dismiss(&self, why: &str) {
        self.shared.state().dismissed.get_or_insert_with(|| why.to_owned());
        self.shared.wake();
    }

    /// Lets it end, without waiting for that.
    pub fn close(&self) {
        self.shared.state().is_closing = true;
        self.shared.wake();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.close();
        if let Some(thread) = self.thread.take() {
            // It has nothing to tell.
            let _ = thread.join();
        }
    }
}

impl Reply {
    /// Tells a test that its agent ended for reasons of its own from one that we have cancelled.
    fn unless_stopped(self, stop: &CancelToken) -> Self {
        match self {
            Self::Answer(Answer { end: crate::message::End::Stopped, .. }) => match stop.is_set() {
                true => Self::Stopped,
                false => Self::Lost("its agent was told to end".to_owned()),
            },
            // What a dying machine says counts for nothing when nobody wants to know any more.
            Self::Lost(_) if stop.is_set() => Self::Stopped,
            reply => reply,
        }
    }

    /// Returns the finding of a test that was stopped.
    pub fn stopped() -> Observation {
        let (outcome, ending) = (Outcome::Unresolved, TestEnd::Stopped);
        Observation { outcome, ending, time: Duration::ZERO }
    }
}

/// Returns a test as all workers get it.
///
/// # Errors
/// If it is too large.
pub(crate) fn test_frame(test: &DescribedTest) -> io::Result<Arc<Vec<u8>>> {
    let message = ToAgent::Test(Box::new(test.description.clone()));
    Ok(Arc::new(frame(&message, &test.body).map_err(io::Error::other)?))
}

/// The connection, as its thread has it.
struct Connection {
    shared: Arc<Shared>,
    version: String,
    silence: Duration,
    woken: PipeReader,
    input: Option<File>,
    output: Option<File>,
    errors: Option<File>,
    decoder: Decoder,
    /// The last of what it wrote to its standard error.
    last_words: Vec<u8>,
    /// How much of the first of the outbox was written.
    sent: usize,
    /// When something came.
    heard: Instant,
    /// When something was sent.
    told: Instant,
}

/// Why a connection is over.
enum Over {
    /// It ended by itself.
    EndOfOutput,
    /// We do not want it any more.
    Closed,
    /// It cannot be used, for this reason.
    Useless(String),
    /// It does not even say that it lives.
    Silent(String),
}

impl Connection {
    /// Reads and writes until the connection is over, and ends the process.
    fn attend(mut self, process: Helper) {
        let over = loop {
            if let Some(over) = self.turn() {
                break over;
            }
        };
        let (why, patience) = match over {
            Over::EndOfOutput => (None, Helper::FAREWELL),
            Over::Closed => (Some("it was closed".to_owned()), self.say_farewell()),
            Over::Useless(why) => (Some(why), Helper::FAREWELL),
            Over::Silent(why) => (Some(why), Duration::ZERO),
        };
        self.input = None;
        if let Some(why) = &why {
            // Whoever waits need not wait for the end of the process.
            self.lose(why);
            // Nobody reads what it says.
            self.errors = None;
            self.output = None;
        }
        let status = process.end(patience);
        self.read_errors();
        if why.is_none() {
            self.lose(&self.ended_by_itself(status));
        }
    }

    fn ended_by_itself(&self, status: io::Result<ExitStatus>) -> String {
        let mut why = match status {
            Ok(status) if status.success() => "it ended".to_owned(),
            Ok(status) => format!("it ended with {}", in_words(status)),
            Err(error) => format!("it ended: {error}"),
        };
        let noise = self.decoder.noise();
        let noise = if self.shared.state().hello.is_none() { noise } else { b"" };
        for words in [&self.last_words[..], noise] {
            let text = String::from_utf8_lossy(&words[words.len().saturating_sub(KEPT)..]);
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let lines: Vec<&str> = lines.collect();
            for line in &lines[lines.len().saturating_sub(3)..] {
                why.push_str(if why.contains(": ") { "; " } else { ": " });
                why.push_str(&in_line(line.trim()));
            }
        }
        why
    }

    /// Writes what is still to be said for as long as that may take; returns how long the end may
    /// take.
    fn say_farewell(&mut self) -> Duration {
        let deadline = Instant::now() + Helper::FAREWELL;
        while self.has_more() && self.input.is_some() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Duration::ZERO;
            }
            if let Some(over) = self.exchange(left) {
                drop(over);
                break;
            }
        }
        self.input = None;
        Helper::FAREWELL
    }

    fn has_more(&self) -> bool {
        !self.shared.state().outbox.is_empty()
    }

    /// Waits for something to do, and does it.
    fn turn(&mut self) -> Option<Over> {
        {
            let state = self.shared.state();
            if let Some(why) = &state.dismissed {
                return Some(Over::Useless(why.clone()));
            }
            if state.is_closing {
                return Some(Over::Closed);
            }
        }
        let has_greeted = self.shared.state().hello.is_some();
        let mut left = HEARTBEAT.saturating_sub(self.told.elapsed());
        if has_greeted {
            left = left.min(self.silence.saturating_sub(self.heard.elapsed()));
        }
        if let Some(over) = self.exchange(left) {
            return Some(over);
        }
        if has_greeted && self.heard.elapsed() >= self.silence {
            let seconds = self.silence.as_secs_f32();
            return Some(Over::Silent(format!("it gave no sign of life for {seconds} s")));
        }
        if self.told.elapsed() >= HEARTBEAT {
            self.told = Instant::now();
            if let Ok(bytes) = frame(&ToAgent::Alive, b"") {
                self.shared.state().outbox.push_back(Arc::new(bytes));
            }
        }
        None
    }

    /// Waits for as long as `left`, reads what there is, and writes what can be written.
    fn exchange(&mut self, left: Duration) -> Option<Over> {
        let most = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };
        let left = Timespec::try_from(left).unwrap_or(most);
        let writes = self.has_more();
        let mut fds = vec![PollFd::new(&self.woken, PollFlags::IN)];
        fds.extend(self.output.iter().map(|output| PollFd::new(output, PollFlags::IN)));
        fds.extend(self.errors.iter().map(|errors| PollFd::new(errors, PollFlags::IN)));
        let input = self.input.iter().filter(|_| writes);
        fds.extend(input.map(|input| PollFd::new(input, PollFlags::OUT)));
        // Whatever happens, the caller looks again.
        let _ = poll(&mut fds, Some(&left));
        drop(fds);
        let mut woken = [0; 64];
        while matches!(self.woken.read(&mut woken), Ok(1..)) {}
        self.read_errors();
        if let Some(over) = self.read() {
            return Some(over);
        }
        self.write();
        None
    }

    /// Reads and understands what there is.
    fn read(&mut self) -> Option<Over> {
        let mut chunk = [0; 16 * 1024];
        while let Some(output) = &mut self.output {
            match output.read(&mut chunk) {
                Ok(0) => break,
                Ok(length) => {
                    self.heard = Instant::now();
                    self.decoder.push(&chunk[..length]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
                Err(_) => break,
            }
            if let Some(over) = self.understand() {
                return Some(over);
            }
        }
        Some(Over::EndOfOutput)
    }

    /// Takes all messages that are complete.
    fn understand(&mut self) -> Option<Over> {
        loop {
            match self.decoder.next() {
                Ok(None) => return None,
                Ok(Some(frame)) => {
                    if let Some(why) = self.hear(&frame) {
                        return Some(Over::Useless(why));
                    }
                }
                Err(error) => return Some(Over::Useless(error.to_string())),
            }
        }
    }

    /// Takes a message; returns why the worker is useless, if it says so.
    fn hear(&self, Frame { message, .. }: &Frame) -> Option<String> {
        let damaged = || Some("what it sent makes no sense".to_owned());
        let Ok(message) = serde_json::from_slice::<FromAgent>(message) else { return damaged() };
        let mut state = self.shared.state();
        match message {
            FromAgent::Hello(hello) => {
                if (hello.protocol, &*hello.minirepro) != (PROTOCOL, &*self.version) {
                    return Some(format!(
                        "its minirepro is version {} with protocol {}, not {} with {PROTOCOL}",
                        hello.minirepro, hello.protocol, self.version
                    ));
                }
                if !(1..=MOST_JOBS).contains(&hello.jobs) {
                    return Some(format!("it runs {} tests at the same time", hello.jobs));
                }
                let (host, system) = (in_line(&hello.host), in_line(&hello.system));
                state.hello = Some(Hello { host, system, ..hello });
            }
            _ if state.hello.is_none() => return damaged(),
            FromAgent::Ready { tools } => state.ready = Some(Ok(tools)),
            FromAgent::Unusable { why } => state.ready = Some(Err(in_line(&why))),
            FromAgent::Answer(Answer { id, .. }) | FromAgent::Broken(Broken { id, .. })
                if !(1..=state.last_id).contains(&id) =>
            {
                return Some("it answered what it was not asked".to_owned());
            }
            FromAgent::Answer(answer) => state.arrive(answer.id, Reply::Answer(answer)),
            FromAgent::Broken(mut broken) => {
                broken.why = in_line(&broken.why);
                state.arrive(broken.id, Reply::Broken(broken));
            }
            FromAgent::Unknown(message) if is_known_kind(&message) => return damaged(),
            FromAgent::Alive | FromAgent::Unknown(_) => {}
        }
        self.shared.changed.notify_all();
        None
    }

    /// Writes what can be written.
    fn write(&mut self) {
        while let Some(input) = &mut self.input {
            let Some(first) = self.shared.state().outbox.front().map(Arc::clone) else { return };
            match input.write(&first[self.sent..]) {
                Ok(length) => {
                    self.told = Instant::now();
                    self.sent += length;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // Its output says what became of it.
                Err(_) => self.input = None,
            }
            if self.sent == first.len() {
                self.sent = 0;
                self.shared.state().outbox.pop_front();
            }
        }
    }

    /// Reads what there is of standard error, and keeps the last of it.
    fn read_errors(&mut self) {
        let mut chunk = [0; 4 * 1024];
        while let Some(errors) = &mut self.errors {
            match errors.read(&mut chunk) {
                Ok(length @ 1..) => {
                    self.last_words.extend_from_slice(&chunk[..length]);
                    let surplus = self.last_words.len().saturating_sub(KEPT);
                    self.last_words.drain(..surplus);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                _ => self.errors = None,
            }
        }
    }

    /// Tells everybody who waits that nothing more will come.
    fn lose(&self, why: &str) {
        let mut state = self.shared.state();
        state.lost.get_or_insert_with(|| why.to_owned());
        let all: Vec<u64> = state.pending.keys().copied().collect();
        for id in all {
            state.arrive(id, Reply::Lost(why.to_owned()));
        }
        self.shared.changed.notify_all();
    }
}

/// More tests than any machine runs at the same time.
const MOST_JOBS: usize = 4096;

impl State {
    /// Hands a reply over; what nobody waits for any more is forgotten, and the first one counts.
    fn arrive(&mut self, id: u64, reply: Reply) {
        if let Some(pending_reply) = self.pending.get_mut(&id)
            && pending_reply.reply.is_none()
        {
            pending_reply.reply = Some(reply);
            // An empty pipe that is open at both ends takes a byte.
            let _ = pending_reply.notify.write(&[1]);
        }
    }
}

/// Returns what somebody else says as a part of one line, so that it cannot look like a line of
/// ours.
pub(crate) fn in_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

fn in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    }
}
