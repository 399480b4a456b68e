//! Tests in child processes, which may die of them: a stack overflow and an abort end a process,
//! and nothing can catch them in it.
//!
//! A child is a fork of this process, so that the test needs no entry of its own and has all that
//! it refers to. It gets candidates by a pipe, one after the other, and is replaced when it dies.
//! Only the thread that forks lives on in a child: a test must not wait for other threads, nor for
//! a lock that one of them holds. (Memory is safe: the C libraries prepare their allocators.)

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_engine::JobId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, kill_process, setrlimit, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdout};

use crate::test::Tests;
use crate::test::panics::Panics;
use crate::{Error, Outcome};

/// Tests in child processes.
pub(crate) struct Children<'p, F> {
    test: F,
    panics: &'p Panics,
    time_limit: Option<Duration>,
    children: Vec<Child>,
    /// Tests that wait for a child.
    queue: VecDeque<(JobId, Arc<[u8]>)>,
    most: usize,
    /// Once the input has been tested: how a child died of it, if one did, which is the failure.
    failure: Option<Option<Death>>,
}

/// How a process ended by itself or by force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Death {
    Signal(i32),
    Exit(i32),
}

struct Child {
    /// `None` once it has been waited for: its number may be another process's then.
    pid: Option<Pid>,
    requests: PipeWriter,
    answers: PipeReader,
    /// The test that runs, and until when it may.
    busy: Option<(JobId, Option<Instant>)>,
}

/// What a child says before a message.
const PANICKED: u8 = 3;

impl<'p, F: FnMut(&[u8]) -> A, A: Into<Outcome>> Children<'p, F> {
    pub(crate) fn new(
        test: F,
        panics: &'p Panics,
        jobs: usize,
        time_limit: Option<Duration>,
    ) -> Self {
        Self {
            test,
            panics,
            time_limit,
            children: Vec::new(),
            queue: VecDeque::new(),
            most: jobs.max(1),
            failure: None,
        }
    }

    /// Gives waiting tests to children without one, as far as there may be some.
    fn feed(&mut self) -> Result<(), Error> {
        while !self.queue.is_empty() {
            let idle = self.children.iter().position(|child| child.busy.is_none());
            let at = match idle {
                Some(at) => at,
                None if self.children.len() < self.most => {
                    let child = self.fork()?;
                    self.children.push(child);
                    self.children.len() - 1
                }
                None => break,
            };
            let Some((id, candidate)) = self.queue.pop_front() else { break };
            let until = self.time_limit.and_then(|limit| Instant::now().checked_add(limit));
            let child = &mut self.children[at];
            child.busy = Some((id, until));
            // A child that has died is found by the end of its answers.
            let _ = write_part(&mut child.requests, &candidate);
        }
        Ok(())
    }

    fn fork(&mut self) -> Result<Child, Error> {
        let (request, requests) = pipe()?;
        let (answers, answer) = pipe()?;
        #[expect(unsafe_code, reason = "the standard library cannot fork")]
        // SAFETY: the child runs on with a copy of this thread's stack and memory, calls nothing
        // but the test, and never returns from `serve`. The documentation says what a test must
        // not do there.
        let pid = unsafe { libc::fork() };
        match Pid::from_raw(pid) {
            None if pid == 0 => {
                drop((requests, answers));
                self.serve(request, answer)
            }
            None => Err(io::Error::last_os_error().into()),
            Some(_) if pid < 0 => Err(io::Error::last_os_error().into()),
            Some(pid) => Ok(Child { pid: Some(pid), requests, answers, busy: None }),
        }
    }

    /// Tests candidates until there are no more, as a child.
    fn serve(&mut self, mut requests: PipeReader, mut answers: PipeWriter) -> ! {
        // Whatever a thousand tests print is of no use, nor is a dump of each that dies.
        if let Ok(nowhere) = open("/dev/null", OFlags::WRONLY, Mode::empty()) {
            let _ = dup2_stdout(&nowhere).and_then(|()| dup2_stderr(&nowhere));
        }
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        while let Some(candidate) = read_part(&mut requests) {
            let said = match self.panics.judge(|| (self.test)(&candidate)) {
                Ok(outcome) => answers.write_all(&[outcome as u8]),
                Err(Error::Panicked(message)) => answers
                    .write_all(&[PANICKED])
                    .and_then(|()| write_part(&mut answers, message.as_bytes())),
                Err(_) => break,
            };
            if said.is_err() {
                break;
            }
        }
        #[expect(unsafe_code, reason = "the end of a child is not the end of the program")]
        // SAFETY: always safe; what is registered for the end of the process must not run twice.
        unsafe {
            libc::_exit(0)
        }
    }

    /// Takes the answer of a child that has said something or has died.
    fn hear(&mut self, at: usize) -> Result<Option<(JobId, Outcome)>, Error> {
        let child = &mut self.children[at];
        let mut answer = [0];
        let outcome = match child.answers.read_exact(&mut answer) {
            Ok(()) if answer == [PANICKED] => {
                let message = read_part(&mut child.answers).unwrap_or_default();
                self.panics.outcome(&String::from_utf8_lossy(&message))?
            }
            Ok(()) => [Outcome::Fail, Outcome::Pass]
                .into_iter()
                .find(|outcome| answer == [*outcome as u8])
                .unwrap_or(Outcome::Unresolved),
            Err(_) => {
                let mut dead = self.children.swap_remove(at);
                let death = dead.end();
                // How the child of the input dies, decides.
                let is_failure = *self.failure.get_or_insert(death) == death && death.is_some();
                let outcome = if is_failure { Outcome::Fail } else { Outcome::Unresolved };
                return Ok(dead.busy.take().map(|(id, _)| (id, outcome)));
            }
        };
        self.failure.get_or_insert(None);
        Ok(self.children[at].busy.take().map(|(id, _)| (id, outcome)))
    }

    /// Ends a child whose time is up.
    fn overdue(&mut self) -> Option<(JobId, Outcome)> {
        let now = Instant::now();
        let is_late = |child: &Child| {
            child.busy.is_some_and(|(_, until)| until.is_some_and(|until| until <= now))
        };
        let mut late = self.children.swap_remove(self.children.iter().position(is_late)?);
        self.failure.get_or_insert(None);
        late.busy.take().map(|(id, _)| (id, Outcome::Unresolved))
    }
}

impl<F: FnMut(&[u8]) -> A, A: Into<Outcome>> Tests for Children<'_, F> {
    fn start(&mut self, id: JobId, candidate: Arc<[u8]>) -> Result<Option<Outcome>, Error> {
        self.queue.push_back((id, candidate));
        self.feed()?;
        Ok(None)
    }

    fn wait(&mut self) -> Result<(JobId, Outcome), Error> {
        loop {
            self.feed()?;
            if let Some(late) = self.overdue() {
                return Ok(late);
            }
            let busy: Vec<usize> =
                (0..self.children.len()).filter(|&at| self.children[at].busy.is_some()).collect();
            let ends = self.children.iter().filter_map(|child| child.busy?.1);
            let left = ends.min().map(|end| end.saturating_duration_since(Instant::now()));
            // Rounded up, so as not to wake before the time is up.
            let left = left.map(|left| left + Duration::from_micros(1));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            let fds = busy.iter().map(|&at| PollFd::new(&self.children[at].answers, PollFlags::IN));
            let mut fds: Vec<PollFd<'_>> = fds.collect();
            match poll(&mut fds, left.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
            let ready = fds.iter().position(|fd| !fd.revents().is_empty());
            if let Some(at) = ready
                && let Some(heard) = self.hear(busy[at])?
            {
                return Ok(heard);
            }
        }
    }
}

impl Child {
    /// Waits for its end and returns how it died.
    fn end(&mut self) -> Option<Death> {
        let pid = self.pid.take()?;
        loop {
            match waitpid(Some(pid), WaitOptions::empty()) {
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return None,
                Ok(ended) => {
                    let (_, status): (Pid, WaitStatus) = ended?;
                    let signal = status.terminating_signal().map(Death::Signal);
                    return signal.or_else(|| status.exit_status().map(Death::Exit));
                }
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

fn write_part(to: &mut PipeWriter, part: &[u8]) -> io::Result<()> {
    let length = u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes();
    to.write_all(&[&length[..], part].concat())
}

fn read_part(from: &mut PipeReader) -> Option<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length).ok()?;
    let mut part = vec![0; usize::try_from(u64::from_le_bytes(length)).ok()?];
    from.read_exact(&mut part).ok()?;
    Some(part)
}
