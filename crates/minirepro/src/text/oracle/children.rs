//! Tests in child processes, which may die of them: a stack overflow and an abort end a process,
//! and nothing can catch them in it.
//!
//! A child is a fork of this process, so that the test needs no entry of its own and has all that
//! it refers to, the candidate among it. Each runs one test and says its outcome by a pipe.
//! Only the thread that forks lives on in a child: a test must not wait for other threads, nor for
//! a lock that one of them holds. (Memory is safe: the C libraries prepare their allocators.)

use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_engine::JobId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, kill_process, setrlimit, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdout};

use crate::text::oracle::Tests;
use crate::text::oracle::panics::Panics;
use crate::{Error, Outcome};

/// Tests in child processes.
pub(crate) struct Children<'p, F> {
    test: F,
    panics: &'p Panics,
    time_limit: Option<Duration>,
    running: Vec<Child>,
    /// Once the input has been tested, how the child died of it, if it did: this is the failure
    /// then.
    failure: Option<Option<i32>>,
}

struct Child {
    id: JobId,
    /// `None` once it has been waited for: its number may be another process's then.
    pid: Option<Pid>,
    answer: PipeReader,
    until: Option<Instant>,
}

/// What a child says before a message.
const PANICKED: u8 = 3;

impl<'p, F: FnMut(&[u8]) -> A, A: Into<Outcome>> Children<'p, F> {
    pub(crate) fn new(test: F, panics: &'p Panics, time_limit: Option<Duration>) -> Self {
        Self { test, panics, time_limit, running: Vec::new(), failure: None }
    }

    /// Tests a candidate, as a child.
    fn serve(&mut self, candidate: &[u8], mut answer: PipeWriter) -> ! {
        // Whatever a thousand tests print is of no use, nor is a dump of each that dies.
        if let Ok(nowhere) = open("/dev/null", OFlags::WRONLY, Mode::empty()) {
            let _ = dup2_stdout(&nowhere).and_then(|()| dup2_stderr(&nowhere));
        }
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        let _ = match self.panics.judge(|| (self.test)(candidate)) {
            Ok(outcome) => answer.write_all(&[outcome as u8]),
            Err(Error::Panicked(message)) => {
                answer.write_all(&[&[PANICKED], message.as_bytes()].concat())
            }
            Err(_) => Ok(()),
        };
        #[expect(unsafe_code, reason = "the end of a child is not the end of the program")]
        // SAFETY: always safe; what is registered for the end of the process must not run twice.
        unsafe {
            libc::_exit(0)
        }
    }

    /// Returns the outcome of a test whose child has said it or has died: how the input's child
    /// does, decides.
    fn outcome(&mut self, mut child: Child) -> Result<Outcome, Error> {
        let mut said = Vec::new();
        let _ = child.answer.read_to_end(&mut said);
        let death = child.end();
        let outcome = match said.split_first() {
            Some((&PANICKED, message)) => self.panics.outcome(&String::from_utf8_lossy(message))?,
            Some((&code, _)) => match code {
                code if code == Outcome::Fail as u8 => Outcome::Fail,
                code if code == Outcome::Pass as u8 => Outcome::Pass,
                _ => Outcome::Unresolved,
            },
            None if death.is_some() && *self.failure.get_or_insert(death) == death => Outcome::Fail,
            None => Outcome::Unresolved,
        };
        self.failure.get_or_insert(None);
        Ok(outcome)
    }
}

impl<F: FnMut(&[u8]) -> A, A: Into<Outcome>> Tests for Children<'_, F> {
    fn start(&mut self, id: JobId, candidate: Arc<[u8]>) -> Result<Option<Outcome>, Error> {
        let (answer, to_parent) = pipe()?;
        #[expect(unsafe_code, reason = "the standard library cannot fork")]
        // SAFETY: the child runs on with a copy of this thread's stack and memory, calls nothing
        // but the test, and never returns from `serve`. The documentation says what a test must
        // not do there.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            drop(answer);
            self.serve(&candidate, to_parent);
        }
        if pid < 0 {
            return Err(io::Error::last_os_error().into());
        }
        let until = self.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        self.running.push(Child { id, pid: Pid::from_raw(pid), answer, until });
        Ok(None)
    }

    fn wait(&mut self) -> Result<(JobId, Outcome), Error> {
        loop {
            let end = self.running.iter().filter_map(|child| child.until).min();
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            // Rounded up, so as not to wake before the time is up.
            let left = left.map(|left| left + Duration::from_micros(1));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            let fds = self.running.iter().map(|child| PollFd::new(&child.answer, PollFlags::IN));
            let mut fds: Vec<PollFd<'_>> = fds.collect();
            match poll(&mut fds, left.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
            if let Some(at) = fds.iter().position(|fd| !fd.revents().is_empty()) {
                let child = self.running.swap_remove(at);
                return Ok((child.id, self.outcome(child)?));
            }
            let now = Instant::now();
            let is_late = |child: &Child| child.until.is_some_and(|until| until <= now);
            if let Some(at) = self.running.iter().position(is_late) {
                self.failure.get_or_insert(None);
                return Ok((self.running.swap_remove(at).id, Outcome::Unresolved));
            }
        }
    }
}

impl Child {
    /// Waits for its end and returns how it died.
    fn end(&mut self) -> Option<i32> {
        let pid = self.pid.take()?;
        loop {
            match waitpid(Some(pid), WaitOptions::empty()) {
                Err(rustix::io::Errno::INTR) => {}
                ended => return ended.ok()?.map(|(_, status)| status.as_raw()),
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(pid) = self.pid {
            let _ = kill_process(pid, Signal::KILL);
            self.end();
        }
    }
}
