//! Runs one process with a time limit and reads what it writes while it runs. Knows how to wait,
//! not what an answer means.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::family::{Family, Mark};
use crate::{Ending, Excess, Stop};

/// How a process ended and what it wrote.
pub(crate) struct Ended {
    pub ending: Ending,
    pub time: Duration,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Waits until the child ends, `limit` since its start is over or `stop` is set; then nothing of the child and its
/// descendants runs any more. Pipes of the child are read all the time; of each, the first and
/// the last `keep / 2` bytes are kept. A child that writes more than `most` bytes into one is ended.
pub(crate) fn wait(
    (mut child, start): (Child, Instant),
    family: &Family,
    mark: &Mark<'_>,
    limit: Duration,
    (keep, most): (usize, u64),
    stop: &Stop,
) -> io::Result<Ended> {
    let mut pipes = [
        Pipe::new(child.stdout.take().map(OwnedFd::from), keep),
        Pipe::new(child.stderr.take().map(OwnedFd::from), keep),
    ];
    let cut = match pidfd_open(Pid::from_child(&child), PidfdFlags::empty()) {
        Ok(exit) => wait_for_exit(&exit, &mut pipes, (start + limit, most), stop),
        Err(error) => Err(error.into()),
    };
    let status = family.bury(child, mark);
    let time = start.elapsed();
    pipes.iter_mut().for_each(Pipe::drain);
    let too_much = pipes.iter().any(|pipe| pipe.seen > most);
    let [stdout, stderr] = pipes.map(Pipe::into_text);
    let ending = match (cut?, too_much) {
        (None, true) => Ending::Exceeded(Excess::Output),
        (cut, _) => cut.unwrap_or(ending(status?)),
    };
    Ok(Ended { ending, time, stdout, stderr })
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signaled(signal.unwrap_or_default()),
    }
}

/// Says why we gave up before the process ended, if we did.
fn wait_for_exit(
    exit: &OwnedFd,
    pipes: &mut [Pipe; 2],
    (deadline, most): (Instant, u64),
    stop: &Stop,
) -> io::Result<Option<Ending>> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let ready = {
            let mut fds = vec![
                PollFd::new(exit, PollFlags::IN),
                PollFd::from_borrowed_fd(stop.as_fd(), PollFlags::IN),
            ];
            let open = pipes.iter().filter_map(|pipe| pipe.source.as_ref());
            fds.extend(open.map(|source| PollFd::new(source, PollFlags::IN)));
            let timeout =
                Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 1 << 30, tv_nsec: 0 });
            match poll(&mut fds, Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            [!fds[0].revents().is_empty(), !fds[1].revents().is_empty()]
        };
        match ready {
            [true, _] => return Ok(None),
            [_, true] => return Ok(Some(Ending::Stopped)),
            _ if deadline <= Instant::now() => return Ok(Some(Ending::TimedOut)),
            _ => pipes.iter_mut().for_each(Pipe::read_some),
        }
        if pipes.iter().any(|pipe| pipe.seen > most) {
            return Ok(Some(Ending::Exceeded(Excess::Output)));
        }
    }
}

/// One output of a process, read without waiting.
struct Pipe {
    source: Option<File>,
    first: Vec<u8>,
    last: Vec<u8>,
    half: usize,
    /// How many bytes were read.
    seen: u64,
}

impl Pipe {
    fn new(source: Option<OwnedFd>, keep: usize) -> Self {
        // Should the flag be refused, not reading at all is better than to wait for ever.
        let source = source.filter(|fd| rustix::io::ioctl_fionbio(fd, true).is_ok());
        Self {
            source: source.map(File::from),
            first: vec![],
            last: vec![],
            half: keep / 2,
            seen: 0,
        }
    }

    /// Reads once, if there is something to read.
    fn read_some(&mut self) {
        let mut buffer = [0; 16 * 1024];
        match self.source.as_mut().map(|source| source.read(&mut buffer)) {
            Some(Ok(length @ 1..)) => {
                self.seen += length as u64;
                self.keep(&buffer[..length]);
            }
            Some(Err(e)) if e.kind() == io::ErrorKind::WouldBlock => {}
            Some(Err(e)) if e.kind() == io::ErrorKind::Interrupted => {}
            _ => self.source = None,
        }
    }

    /// Reads what is left in the pipe, at most as much as a pipe can hold: a process that escaped
    /// us may go on writing.
    fn drain(&mut self) {
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

    fn into_text(self) -> Vec<u8> {
        let Self { mut first, last, half, .. } = self;
        first.extend_from_slice(&last[last.len().saturating_sub(half)..]);
        first
    }
}
