//! An agent: it gets a test and candidates through a pipe and answers through another.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use minirepro_engine::Outcome;
use rustix::event::{PollFd, PollFlags, poll};

use minirepro_runner::system::{lock, spawn_scoped};
use minirepro_runner::{CancelToken, Gate, Observation, Oracle, OracleError, ProgramTest, TestEnd};

use crate::line::{MOST, first, invalid, line, read};
use crate::message::{Answer, Broken, FromAgent, Hello, ToAgent};

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
    // Whatever ends this agent ends its tests.
    let end = stop.below()?;
    let mut input = BufReader::new(Until { input, end: &end });
    let output = Mutex::new(output);
    let jobs = u16::try_from(jobs.max(1)).unwrap_or(u16::MAX);
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let hello = FromAgent::Hello(Hello { minirepro: version.to_owned(), jobs, host });
    // What somebody may have written before ends its line.
    write(&output, &[b"\n", &line(&hello)?[..]].concat())?;
    let mut noise = Vec::new();
    let Err(why) = match first(&mut input, MOST, &mut noise) {
        Err(_) if !noise.is_empty() && !end.is_set() => return Err(AgentError::NoRun),
        Err(why) => Err(why),
        Ok(ToAgent::Test(test)) => attend(&test.ready(), &mut input, &output, jobs, &end),
        Ok(_) => Err(invalid("no test")),
    };
    if why.kind() == ErrorKind::UnexpectedEof { Ok(()) } else { Err(why.into()) }
}

/// An input that also ends when a request does.
struct Until<'a, I> {
    input: I,
    end: &'a CancelToken,
}

impl<I: Read + AsFd> Read for Until<'_, I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut fds =
            [PollFd::new(&self.input, PollFlags::IN), PollFd::new(self.end, PollFlags::IN)];
        // Whatever happens, reading says so.
        let _ = poll(&mut fds, None);
        if self.end.is_set() { Ok(0) } else { self.input.read(buffer) }
    }
}

/// Writes to the output, one after the other.
fn write(output: &Mutex<impl Write>, bytes: &[u8]) -> io::Result<()> {
    let mut output = lock(output);
    output.write_all(bytes)?;
    output.flush()
}

/// Takes candidates; returns why there are no more.
fn attend(
    test: &Result<ProgramTest, String>,
    input: &mut impl BufRead,
    output: &Mutex<impl Write + Send>,
    jobs: u16,
    end: &CancelToken,
) -> io::Result<Infallible> {
    let gate = (jobs > 1).then(Gate::default);
    let running = Mutex::new(HashMap::<u64, CancelToken>::new());
    let (gate, running) = (&gate, &running);
    thread::scope(|scope| {
        let mut take = || loop {
            match read(input)? {
                ToAgent::Candidate { id, explain, text } => {
                    let text = BASE64_STANDARD.decode(text).map_err(|_| invalid("no base64"))?;
                    let stop = end.below()?;
                    lock(running).insert(id, stop.clone());
                    spawn_scoped(scope, move || {
                        let message = match test {
                            Ok(test) => answer(test, gate.as_ref(), id, &text, explain, &stop),
                            Err(why) => broken(id, why, None, ""),
                        };
                        lock(running).remove(&id);
                        if line(&message).and_then(|bytes| write(output, &bytes)).is_err() {
                            // Nobody listens any more.
                            end.set();
                        }
                    })?;
                }
                ToAgent::Cancel { id } => {
                    lock(running).get(&id).map(CancelToken::set);
                }
                ToAgent::Test(_) => return Err(invalid("a second test")),
            }
        };
        let why = take();
        end.set();
        why
    })
}

fn broken(id: u64, why: &str, code: Option<i32>, output: &str) -> FromAgent {
    FromAgent::Broken(Broken { id, why: why.to_owned(), code, output: output.to_owned() })
}

/// Tests a candidate. What takes too long among others runs again alone.
fn answer(
    test: &ProgramTest,
    gate: Option<&Gate>,
    id: u64,
    text: &[u8],
    explain: bool,
    stop: &CancelToken,
) -> FromAgent {
    let look = || test.look(text, stop);
    let looked = catch_unwind(AssertUnwindSafe(|| {
        let Some(gate) = gate else { return look() };
        let (first, mut last) = gate.run(look, |(seen, _)| seen.ending == TestEnd::TimedOut)?;
        last.0.time += first.map_or(Duration::ZERO, |(seen, _)| seen.time);
        Ok(last)
    }));
    match looked.unwrap_or_else(|panic| Err(OracleError::panicked(&*panic))) {
        Ok((Observation { outcome, ending: end, time }, failure)) => {
            let explains = explain && outcome != Outcome::Fail && !stop.is_set();
            let output = if explains { test.explain(text, stop) } else { String::new() };
            let seconds = time.as_secs_f64();
            FromAgent::Answer(Answer { id, outcome, end, seconds, failure, output })
        }
        Err(OracleError::Broken { code, output }) => broken(id, "", Some(code), &output),
        Err(error) => broken(id, &error.to_string(), None, ""),
    }
}
