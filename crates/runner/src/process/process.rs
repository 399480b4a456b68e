//! Waits for one process with a time limit and reads what it writes while it runs.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::process::descendants::Descendants;
use crate::process::exit_watch::ExitWatch;
use crate::process::kept::Kept;
use crate::process::time_limit::TimeLimit;
use crate::{CancelToken, TestEnd};

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

/// Waits until the child, whose test is in this directory, ends, exceeds its bounds or `stop` is
/// set; then nothing of the child and its descendants runs any more. Its outputs are read all the
/// time.
///
/// # Errors
/// If the system refuses to wait.
pub(crate) fn wait(
    mut child: Child,
    start: Instant,
    descendants: &Descendants,
    directory: &Path,
    bounds: &Bounds,
    stop: &CancelToken,
) -> io::Result<Ended> {
    let outputs = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
    let mut pipes = outputs.map(|output| Pipe::new(output, bounds.kept));
    let mut limit = TimeLimit::new(start, bounds.time);
    let cut = wait_for_exit(&child, &mut pipes, &mut limit, bounds, stop);
    let status = descendants.reap_with_descendants(child, directory);
    let time = start.elapsed().saturating_sub(limit.paused);
    pipes.iter_mut().for_each(Pipe::drain);
    let too_much = pipes.iter().any(|pipe| pipe.seen > bounds.written);
    let [stdout, stderr] = pipes.map(|pipe| pipe.kept.into_text());
    let ending = match (cut?, too_much) {
        (None, true) => TestEnd::TooMuchOutput,
        (cut, _) => cut.unwrap_or(status?.into()),
    };
    Ok(Ended { ending, time, stdout, stderr })
}

impl From<ExitStatus> for TestEnd {
    fn from(status: ExitStatus) -> Self {
        let signal = status.signal().unwrap_or_default();
        status.code().map_or(Self::Signaled(signal), Self::Exited)
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
    pipes: &mut [Pipe; 2],
    limit: &mut TimeLimit,
    bounds: &Bounds,
    stop: &CancelToken,
) -> io::Result<Option<TestEnd>> {
    let watch = ExitWatch::new(child);
    let mut stopped_since = None;
    loop {
        let left = limit.next_wait();
        let mut others = vec![PollFd::from_borrowed_fd(stop.as_fd(), PollFlags::IN)];
        let open = pipes.iter().filter_map(|pipe| pipe.source.as_ref());
        others.extend(open.map(|source| PollFd::new(source, PollFlags::IN)));
        if watch.wait(others, left.min(bounds.stopped))? {
            return Ok(None);
        }
        if stop.is_set() {
            return Ok(Some(TestEnd::Stopped));
        }
        if left.is_zero() {
            return Ok(Some(TestEnd::TimedOut));
        }
        match stop_signal(child) {
            None => stopped_since = None,
            Some(signal) => {
                if stopped_since.get_or_insert_with(Instant::now).elapsed() >= bounds.stopped {
                    return Ok(Some(TestEnd::Signaled(signal)));
                }
            }
        }
        pipes.iter_mut().for_each(Pipe::read_some);
        if pipes.iter().any(|pipe| pipe.seen > bounds.written) {
            return Ok(Some(TestEnd::TooMuchOutput));
        }
    }
}

/// One output of a process, read without waiting.
struct Pipe {
    source: Option<File>,
    kept: Kept,
    /// How many bytes were read.
    seen: u64,
}

impl Pipe {
    fn new(source: Option<OwnedFd>, keep: usize) -> Self {
        // Should the flag be refused, not reading at all is better than to wait for ever.
        let source = source.filter(|fd| rustix::io::ioctl_fionbio(fd, true).is_ok());
        Self { source: source.map(File::from), kept: Kept::new(keep), seen: 0 }
    }

    /// Reads once, if there is something to read.
    fn read_some(&mut self) {
        let mut buffer = [0; 16 * 1024];
        match self.source.as_mut().map(|source| source.read(&mut buffer)) {
            Some(Ok(length @ 1..)) => {
                self.seen += length as u64;
                self.kept.add(&buffer[..length]);
            }
            Some(Err(e))
                if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            _ => self.source = None,
        }
    }

    /// Reads what is left in the pipe, at most as much as a pipe can hold: a process that escaped
    /// us may go on writing.
    fn drain(&mut self) {
        (0..64).for_each(|_| self.read_some());
        self.source = None;
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::process::children::{self, Kind};

    /// Runs a script to its end, in which it must not be stopped for any time.
    fn ended(script: &str) -> TestEnd {
        let root = tempfile::tempdir().unwrap();
        let descendants = Descendants::new(root.path(), Kind::Test).unwrap();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = descendants.start(children::lock(), &mut command, root.path());
        let (child, start) = started.unwrap();
        let bounds = Bounds {
            time: Duration::from_secs(1000),
            stopped: Duration::from_millis(1),
            written: 1 << 20,
            kept: 1 << 10,
        };
        let stop = CancelToken::new().unwrap();
        wait(child, start, &descendants, root.path(), &bounds, &stop).unwrap().ending
    }

    #[test]
    fn whoever_is_stopped_is_not_waited_for() {
        assert_eq!(ended("kill -STOP $$; exit 3"), TestEnd::Signaled(19));
        assert_eq!(ended("exit 3"), TestEnd::Exited(3));
    }
}
