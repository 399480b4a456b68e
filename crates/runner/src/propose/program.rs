//! A program that proposes candidates: its process, which lives as long as the run, and the lines
//! that go there and back.
//!
//! It must not keep a run from going on: each answer has its time, each line its length, and what
//! cannot be understood is passed over.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_engine::{Consultation, Gone, Said};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::CancelToken;
use crate::process::children::Kind;
use crate::process::descendants::{Descendants, StartError};
use crate::process::mark::{MARK, Mark};
use crate::process::pipes::pipes;
use crate::process::time_limit::TimeLimit;
use crate::propose::Proposer;
use crate::propose::protocol::{self, Line};
use crate::scratch::scratch::Scratch;
use crate::system::files;

/// A program that proposes candidates.
#[derive(Debug)]
pub struct ProposerProgram {
    command: OsString,
    time: Duration,
    running: Option<Running>,
    /// The text over which a process of it was killed.
    killed_over: Option<Arc<[u8]>>,
    /// The last that a process of it wrote to its standard error.
    last_words: Vec<u8>,
    // Declared behind `running`, so that every process dies before its directory goes.
    surroundings: Option<Surroundings>,
}

/// Where its processes run, and who ends them.
#[derive(Debug)]
struct Surroundings {
    descendants: Descendants,
    mark: String,
    directory: PathBuf,
    _scratch: Scratch,
}

/// A process of the program.
#[derive(Debug)]
struct Running {
    child: Child,
    input: Option<File>,
    output: File,
    errors: File,
    /// What was read after the last line.
    buffer: Vec<u8>,
    last_words: Vec<u8>,
    /// The text that it works on.
    text: Option<Arc<[u8]>>,
    /// The candidates that it has not heard of again.
    open: Vec<Vec<u8>>,
    /// Whether it has proposed anything.
    has_spoken: bool,
}

/// Why there is no line.
enum NotHeard {
    /// It has closed its output.
    End {
        /// Whether it has ever proposed anything.
        has_spoken: bool,
    },
    /// Its time is up.
    Late,
    /// It has written a line that is too long.
    TooLong,
    /// The run ends.
    Stopped,
}

/// The most bytes of a line.
const LONGEST: usize = 64 << 20;

/// Lines in a row that may be without sense.
const MOST_NONSENSE: u32 = 1000;

/// The bytes of standard error that are kept.
const KEPT: usize = 4 << 10;

impl ProposerProgram {
    /// Names the program by a command for a shell. It gets `time` for each of its answers.
    pub fn new(command: impl Into<OsString>, time: Duration) -> Self {
        Self {
            command: command.into(),
            time,
            running: None,
            killed_over: None,
            last_words: Vec::new(),
            surroundings: None,
        }
    }

    /// Starts a process.
    ///
    /// # Errors
    /// If the system refuses.
    fn start(&mut self) -> io::Result<()> {
        let surroundings = match self.surroundings.take() {
            Some(known) => known,
            None => Surroundings::new()?,
        };
        let started = surroundings.start(&self.command);
        self.surroundings = Some(surroundings);
        self.running = Some(started?);
        Ok(())
    }

    /// Ends the process, with all that it has started; returns how it ended, if there was one.
    fn end(&mut self) -> Option<ExitStatus> {
        let mut running = self.running.take()?;
        let surroundings = self.surroundings.as_ref()?;
        running.read_errors();
        self.last_words = running.last_words;
        surroundings.reap_with_descendants(running.child).ok()
    }

    /// Asks, and if the process dies by a signal (of somebody who needs memory, say), another one.
    /// That happens once a text, since the text may be the reason.
    fn ask_again(
        &mut self,
        consultation: &Consultation,
        stop: &CancelToken,
    ) -> Result<Said, NotHeard> {
        let said = self.ask(consultation, stop);
        let Err(NotHeard::End { has_spoken }) = said else { return said };
        let is_killed = self.end().is_some_and(|status| status.signal().is_some());
        if !is_killed || self.killed_over.as_ref() == Some(&consultation.text) {
            return Err(NotHeard::End { has_spoken });
        }
        self.killed_over = Some(Arc::clone(&consultation.text));
        self.ask(consultation, stop)
    }

    fn ask(&mut self, consultation: &Consultation, stop: &CancelToken) -> Result<Said, NotHeard> {
        if self.running.is_none() && self.start().is_err() {
            return Ok(Said::Gone(Gone::NotStarted));
        }
        let Some(running) = &mut self.running else { return Ok(Said::Gone(Gone::NotStarted)) };
        let message = running.message(consultation);
        let mut limit = TimeLimit::new(Instant::now(), self.time);
        running.send(&message, &mut limit, stop)?;
        for _ in 0..MOST_NONSENSE {
            let line = running.hear(&mut limit, stop)?;
            match protocol::read(&line, &consultation.text) {
                Some(Line::Candidates(all, more)) => {
                    running.open.clone_from(&all);
                    running.has_spoken = true;
                    let texts = all.into_iter().map(Into::into).collect();
                    return Ok(Said::Candidates { texts, more });
                }
                Some(Line::Idle) => return Ok(Said::Idle),
                None => {}
            }
        }
        Ok(Said::Gone(Gone::Unclear))
    }
}

impl Proposer for ProposerProgram {
    fn name(&self) -> String {
        self.command.to_string_lossy().into_owned()
    }

    fn consult(&mut self, consultation: &Consultation, stop: &CancelToken) -> Option<Said> {
        let said = match self.ask_again(consultation, stop) {
            Ok(said) => said,
            Err(NotHeard::Stopped) => {
                self.end();
                return None;
            }
            // A program may end when it has nothing more to say; it is started again for another
            // text.
            Err(NotHeard::End { has_spoken: true }) => {
                self.end();
                Said::Idle
            }
            Err(NotHeard::End { has_spoken: false }) => Said::Gone(Gone::Ended),
            Err(NotHeard::Late) => Said::Gone(Gone::Silent),
            Err(NotHeard::TooLong) => Said::Gone(Gone::Unclear),
        };
        if let Said::Gone(_) = said {
            self.end();
        }
        Some(said)
    }

    fn last_words(&mut self) -> String {
        String::from_utf8_lossy(&self.last_words).into_owned()
    }
}

impl Drop for ProposerProgram {
    fn drop(&mut self) {
        self.end();
    }
}

impl Surroundings {
    fn new() -> io::Result<Self> {
        let scratch = Scratch::new(&std::env::temp_dir())?;
        let directory = scratch.path().join("proposer");
        files::create_private_directory(&directory)?;
        let name = scratch.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let descendants = Descendants::new(scratch.path(), None, Kind::Helper)?;
        Ok(Self { descendants, mark: format!("{name}/proposer"), directory, _scratch: scratch })
    }

    /// Starts a process where the user is.
    fn start(&self, command: &OsString) -> io::Result<Running> {
        let mut process = Command::new("/bin/sh");
        process.arg("-c").arg(command);
        process.env("TMPDIR", &self.directory).env(MARK, &self.mark);
        // Shrink Ray tells its external reducers so how many questions they may ask at the same
        // time.
        process.env("SHRINKRAY_REDUCER_PARALLELISM", "1");
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, _) =
            self.descendants.start(|| Ok(()), |()| process).map_err(|error| match error {
                StartError::Files(error) | StartError::Spawn(error) => error,
            })?;
        match pipes(&mut child) {
            Ok([input, output, errors]) => Ok(Running {
                child,
                input: Some(input),
                output,
                errors,
                buffer: Vec::new(),
                last_words: Vec::new(),
                text: None,
                open: Vec::new(),
                has_spoken: false,
            }),
            Err(error) => {
                // It is dead in any case; how it ended does not matter.
                let _ = self.reap_with_descendants(child);
                Err(error)
            }
        }
    }

    fn reap_with_descendants(&self, child: Child) -> io::Result<ExitStatus> {
        let mark = Mark { value: &self.mark, directory: Path::new(&self.directory) };
        self.descendants.reap_with_descendants(child, &mark)
    }
}

impl Running {
    /// Returns the lines that are due: what became of its candidates, and the text if it is a new
    /// one.
    fn message(&mut self, consultation: &Consultation) -> Vec<u8> {
        let mut message = Vec::new();
        for candidate in std::mem::take(&mut self.open) {
            let all = consultation.verdicts.iter().chain(&*consultation.earlier);
            let known = all.rev().find(|verdict| *verdict.candidate == *candidate);
            message.extend(protocol::verdict(&candidate, known.map(|verdict| verdict.finding)));
        }
        if self.text.as_ref() != Some(&consultation.text) {
            self.text = Some(Arc::clone(&consultation.text));
            message.extend(protocol::begin(consultation));
        }
        message
    }

    /// Writes a message. What the program writes meanwhile is kept, so that neither waits for the
    /// other.
    fn send(
        &mut self,
        mut message: &[u8],
        limit: &mut TimeLimit,
        stop: &CancelToken,
    ) -> Result<(), NotHeard> {
        while !message.is_empty() {
            let Some(input) = &mut self.input else { return Ok(()) };
            match input.write(message) {
                Ok(written) => message = &message[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait(true, limit, stop)?;
                    self.read()?;
                }
                // It does not listen any more, but may have said something before.
                Err(_) => self.input = None,
            }
        }
        Ok(())
    }

    /// Waits for a line.
    fn hear(&mut self, limit: &mut TimeLimit, stop: &CancelToken) -> Result<Vec<u8>, NotHeard> {
        let mut looked = 0;
        loop {
            if let Some(end) = self.buffer[looked..].iter().position(|&b| b == b'\n') {
                let rest = self.buffer.split_off(looked + end + 1);
                let mut line = std::mem::replace(&mut self.buffer, rest);
                line.pop();
                return Ok(line);
            }
            looked = self.buffer.len();
            self.wait(false, limit, stop)?;
            if self.read()? {
                // A last line need not end.
                let line = std::mem::take(&mut self.buffer);
                let has_spoken = self.has_spoken;
                return if line.is_empty() { Err(NotHeard::End { has_spoken }) } else { Ok(line) };
            }
        }
    }

    /// Waits until something can be read, or written if that is wanted.
    fn wait(
        &mut self,
        writes: bool,
        limit: &mut TimeLimit,
        stop: &CancelToken,
    ) -> Result<(), NotHeard> {
        let left = limit.next_wait();
        if stop.is_set() {
            return Err(NotHeard::Stopped);
        }
        if left.is_zero() {
            return Err(NotHeard::Late);
        }
        let left = Timespec::try_from(left).unwrap_or_default();
        let mut fds = vec![
            PollFd::new(stop, PollFlags::IN),
            PollFd::new(&self.output, PollFlags::IN),
            PollFd::new(&self.errors, PollFlags::IN),
        ];
        if let Some(input) = self.input.as_ref().filter(|_| writes) {
            fds.push(PollFd::new(input, PollFlags::OUT));
        }
        // Whatever happens, the loop looks again.
        let _ = poll(&mut fds, Some(&left));
        drop(fds);
        self.read_errors();
        Ok(())
    }

    /// Reads what there is; returns whether the output has ended.
    fn read(&mut self) -> Result<bool, NotHeard> {
        let mut chunk = [0; 16 * 1024];
        match self.output.read(&mut chunk) {
            Ok(0) => return Ok(true),
            Ok(length) => self.buffer.extend_from_slice(&chunk[..length]),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => return Ok(true),
        }
        if self.buffer.len() > LONGEST {
            return Err(NotHeard::TooLong);
        }
        Ok(false)
    }

    /// Reads what there is of standard error, and keeps the last of it.
    fn read_errors(&mut self) {
        let mut chunk = [0; 4 * 1024];
        while let Ok(length @ 1..) = self.errors.read(&mut chunk) {
            self.last_words.extend_from_slice(&chunk[..length]);
            let surplus = self.last_words.len().saturating_sub(KEPT);
            self.last_words.drain(..surplus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consulted(program: &str, place: &Path) -> Option<Said> {
        let consultation = Consultation {
            whom: minirepro_engine::Whom::Proposer(0),
            text: Arc::from(*b"x"),
            language: Arc::from("text"),
            tokens: 1,
            nodes: Arc::default(),
            refused: Arc::default(),
            verdicts: Arc::default(),
            earlier: Arc::default(),
        };
        let command = format!("cd '{}'; read -r text; {program}", place.display());
        let mut proposer = ProposerProgram::new(command, Duration::from_secs(600));
        proposer.consult(&consultation, &CancelToken::new().unwrap())
    }

    #[test]
    fn a_process_that_is_killed_before_it_says_a_word_is_replaced_once() {
        let place = tempfile::tempdir().unwrap();
        let speaks = "echo '{\"content\": \"\"}'; read -r verdict";
        let said = consulted(&format!("mkdir first && kill -9 $$; {speaks}"), place.path());
        assert!(matches!(said, Some(Said::Candidates { .. })), "{said:?}");
        let counts = format!("echo >> starts; kill -9 $$; {speaks}");
        assert_eq!(consulted(&counts, place.path()), Some(Said::Gone(Gone::Ended)));
        assert_eq!(std::fs::read(place.path().join("starts")).unwrap(), b"\n\n");
        let ends = "echo >> ends; exit 3";
        assert_eq!(consulted(ends, place.path()), Some(Said::Gone(Gone::Ended)));
        assert_eq!(std::fs::read(place.path().join("ends")).unwrap(), b"\n");
    }
}
