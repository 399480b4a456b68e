//! Waits for one process with a time limit and reads what it writes while it runs.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use serde::{Deserialize, Serialize};

use crate::CancelToken;
use crate::process::descendants::{Descendants, Mark};
use crate::process::platform::ExitWatch;

/// How a process ended and what it wrote.
pub(crate) struct Ended {
    pub ending: TestEnd,
    pub time: Duration,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Ended {
    /// Returns what there is to say about a process that was stopped while its files were written.
    pub fn before_its_start() -> Self {
        let (stdout, stderr) = (Vec::new(), Vec::new());
        Self { ending: TestEnd::Stopped, time: Duration::ZERO, stdout, stderr }
    }
}

/// What a process may do before it is ended.
pub(crate) struct Bounds {
    /// The time since its start.
    pub time: Duration,
    /// How long it may be stopped by a signal: nobody may be there to let it go on.
    pub stopped: Duration,
    /// The bytes that it may write into each of its outputs.
    pub written: u64,
    /// The bytes that are kept of each output: the first and the last half of that many.
    pub kept: usize,
}

/// Waits until the child ends, exceeds its bounds or `stop` is set; then nothing of the child and
/// its descendants runs any more. Its outputs are read all the time.
///
/// # Errors
/// If the system refuses to wait.
pub(crate) fn wait(
    mut child: Child,
    start: Instant,
    descendants: &Descendants,
    mark: &Mark<'_>,
    bounds: &Bounds,
    stop: &CancelToken,
) -> io::Result<Ended> {
    let mut pipes = [
        Pipe::new(child.stdout.take().map(OwnedFd::from), bounds.kept, None),
        Pipe::new(child.stderr.take().map(OwnedFd::from), bounds.kept, None),
    ];
    let mut limit = TimeLimit::new(start, bounds.time);
    let cut = wait_for_exit(&child, &mut pipes, &mut limit, bounds, stop);
    let status = descendants.reap_with_descendants(child, mark);
    let time = start.elapsed().saturating_sub(limit.paused);
    pipes.iter_mut().for_each(Pipe::drain);
    let too_much = pipes.iter().any(|pipe| pipe.seen > bounds.written);
    let [stdout, stderr] = pipes.map(Pipe::into_text);
    let ending = match (cut?, too_much) {
        (None, true) => TestEnd::TooMuchOutput,
        (cut, _) => cut.unwrap_or(ending(status?)),
    };
    Ok(Ended { ending, time, stdout, stderr })
}

fn ending(status: ExitStatus) -> TestEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => TestEnd::Exited(code),
        (None, signal) => TestEnd::Signaled(signal.unwrap_or_default()),
    }
}

/// Returns by which signal a child is stopped, if it is. Nothing tells us when that happens.
fn stop_signal(child: &Child) -> Option<i32> {
    let look = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(Pid::from_child(child)), look).ok()??;
    status.stopping_signal()
}

/// Says why we gave up before the process ended, if we did.
fn wait_for_exit(
    child: &Child,
    pipes: &mut [Pipe<'_>; 2],
    limit: &mut TimeLimit,
    bounds: &Bounds,
    stop: &CancelToken,
) -> io::Result<Option<TestEnd>> {
    let watch = ExitWatch::new(child);
    let (most_written, most_stopped) = (bounds.written, bounds.stopped);
    let mut stopped_since = None;
    loop {
        let left = limit.next_wait();
        let has_ended = {
            let mut others = vec![PollFd::from_borrowed_fd(stop.as_fd(), PollFlags::IN)];
            let open = pipes.iter().filter_map(|pipe| pipe.source.as_ref());
            others.extend(open.map(|source| PollFd::new(source, PollFlags::IN)));
            watch.wait(&mut others, left.min(most_stopped))?
        };
        if has_ended {
            return Ok(None);
        }
        if stop.is_set() {
            return Ok(Some(TestEnd::Stopped));
        }
        if left.is_zero() {
            return Ok(Some(TestEnd::TimedOut));
        }
        match (stop_signal(child), stopped_since) {
            (None, _) => stopped_since = None,
            (Some(_), None) => stopped_since = Some(Instant::now()),
            (Some(signal), Some(since)) if since.elapsed() >= most_stopped => {
                return Ok(Some(TestEnd::Signaled(signal)));
            }
            (Some(_), Some(_)) => {}
        }
        for pipe in &mut *pipes {
            pipe.read_some();
        }
        if pipes.iter().any(|pipe| pipe.seen > most_written) {
            return Ok(Some(TestEnd::TooMuchOutput));
        }
    }
}

/// One output of a process. The first and the last half of what is kept of it stay.
pub(crate) struct Pipe<'t> {
    /// Nobody writes any more if there is none.
    pub source: Option<File>,
    /// Where it is passed on.
    to: Option<BorrowedFd<'t>>,
    first: Vec<u8>,
    last: Vec<u8>,
    half: usize,
    /// How many bytes were read.
    pub seen: u64,
}

impl<'t> Pipe<'t> {
    pub fn new(source: Option<OwnedFd>, keep: usize, to: Option<BorrowedFd<'t>>) -> Self {
        // Should the flag be refused, not reading at all is better than to wait for ever.
        let source = source.filter(|fd| rustix::io::ioctl_fionbio(fd, true).is_ok());
        let (first, last) = (Vec::new(), Vec::new());
        Self { source: source.map(File::from), to, first, last, half: keep / 2, seen: 0 }
    }

    /// Reads once; returns whether there was something to read. Whoever writes finds out if it
    /// cannot be passed on.
    pub fn read_some(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        match self.source.as_mut().map(|source| source.read(&mut buffer)) {
            Some(Ok(length @ 1..)) => {
                self.seen += length as u64;
                self.keep(&buffer[..length]);
                if self.to.is_some_and(|to| write(to, &buffer[..length]).is_err()) {
                    self.source = None;
                }
                return true;
            }
            Some(Err(e)) if e.kind() == ErrorKind::WouldBlock => {}
            Some(Err(e)) if e.kind() == ErrorKind::Interrupted => return true,
            _ => self.source = None,
        }
        false
    }

    /// Reads what is left in the pipe, at most as much as a pipe can hold: a process that escaped
    /// us may go on writing.
    pub fn drain(&mut self) {
        for _ in 0..64 {
            self.read_some();
        }
        self.source = None;
    }

    fn keep(&mut self, text: &[u8]) {
        let head = text.len().min(self.half - self.first.len());
        self.first.extend_from_slice(&text[..head]);
        self.last.extend_from_slice(&text[head..]);
        if self.last.len() > 2 * self.half + 64 * 1024 {
            self.last.drain(..self.last.len() - self.half);
        }
    }

    pub fn into_text(self) -> Vec<u8> {
        let Self { mut first, last, half, .. } = self;
        first.extend_from_slice(&last[last.len().saturating_sub(half)..]);
        first
    }
}

/// Writes all, and waits where nothing can be written without waiting.
fn write(to: BorrowedFd<'_>, mut text: &[u8]) -> io::Result<()> {
    while !text.is_empty() {
        match rustix::io::write(to, text) {
            Ok(length) => text = &text[length..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(&to, PollFlags::OUT)], None)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The longest wait: a pause is noticed only at its end.
const LONGEST: Duration = Duration::from_secs(1);

/// Nobody is woken that much too late by a busy machine.
const LATE: Duration = Duration::from_secs(1);

/// A moment until which something is waited for.
#[derive(Debug)]
pub(crate) struct TimeLimit {
    /// `None` if it is too far away to be told.
    end: Option<Instant>,
    /// When it was asked for the last time, and how long a wait it allowed then.
    asked: (Instant, Duration),
    /// The time during which we did not run.
    pub(crate) paused: Duration,
}

impl TimeLimit {
    /// Creates the end of a time that began at `start`.
    pub(crate) fn new(start: Instant, time: Duration) -> Self {
        let asked = (start, Duration::ZERO);
        Self { end: start.checked_add(time), asked, paused: Duration::ZERO }
    }

    /// Returns how long to wait before asking again; zero when the time is up.
    pub(crate) fn next_wait(&mut self) -> Duration {
        self.next_wait_at(Instant::now())
    }

    fn next_wait_at(&mut self, now: Instant) -> Duration {
        let (before, allowed) = self.asked;
        let late = now.saturating_duration_since(before).saturating_sub(allowed);
        if late > LATE {
            self.end = self.end.and_then(|end| end.checked_add(late));
            self.paused += late;
        }
        let left = self.end.map_or(LONGEST, |end| end.saturating_duration_since(now));
        self.asked = (now, left.min(LONGEST));
        self.asked.1
    }
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestEnd {
    /// It ended with this exit code.
    Exited(i32),
    /// It was killed by this signal, which we did not send.
    Signaled(i32),
    /// We ended it because its time was up.
    TimedOut,
    /// It was ended because it wrote more to its standard output or standard error than
    /// [`FLOOD`](crate::FLOOD).
    TooMuchOutput,
    /// We ended it because its answer is no longer wanted.
    Stopped,
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::*;
    use crate::process::descendants::Kind;

    /// Runs a script to its end, in which it must not be stopped for any time.
    fn ended(script: &str) -> TestEnd {
        let root = tempfile::tempdir().unwrap();
        let descendants = Descendants::new(root.path(), Kind::Test).unwrap();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = descendants.start(|| Ok(()), |()| command);
        let Ok((child, start)) = started else { panic!("no shell") };
        let mark = Mark { value: "none", directory: Path::new("/nowhere") };
        let bounds = Bounds {
            time: Duration::from_secs(1000),
            stopped: Duration::from_millis(1),
            written: 1 << 20,
            kept: 1 << 10,
        };
        let stop = CancelToken::new().unwrap();
        wait(child, start, &descendants, &mark, &bounds, &stop).unwrap().ending
    }

    #[test]
    fn whoever_is_stopped_is_not_waited_for() {
        assert_eq!(ended("kill -STOP $$; exit 3"), TestEnd::Signaled(19));
        assert_eq!(ended("exit 3"), TestEnd::Exited(3));
    }
}

#[cfg(test)]
mod time_limit_tests {
    use super::*;

    #[test]
    fn a_pause_does_not_count() {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut limit = TimeLimit::new(start, Duration::from_secs(5));
        assert_eq!(limit.next_wait_at(at(10)), LONGEST);
        // Woken a little late, by load.
        assert_eq!(limit.next_wait_at(at(1_500)), LONGEST);
        // Woken after an hour, of which the second counts that was asked for.
        let hour = 3_600_000;
        assert_eq!(limit.next_wait_at(at(1_500 + hour)), LONGEST);
        assert_eq!(limit.paused, Duration::from_millis(hour - 1_000));
        assert_eq!(limit.next_wait_at(at(2_500 + hour)), LONGEST);
        assert_eq!(limit.next_wait_at(at(3_500 + hour)), Duration::from_millis(500));
        assert_eq!(limit.next_wait_at(at(4_000 + hour)), Duration::ZERO);
    }

    #[test]
    fn a_time_ends() {
        let start = Instant::now();
        let mut limit = TimeLimit::new(start, Duration::from_millis(300));
        assert_eq!(limit.next_wait_at(start), Duration::from_millis(300));
        assert_eq!(limit.next_wait_at(start + Duration::from_millis(300)), Duration::ZERO);
        let mut endless = TimeLimit::new(start, Duration::MAX);
        assert_eq!(endless.next_wait_at(start + Duration::from_secs(1)), LONGEST);
    }
}
