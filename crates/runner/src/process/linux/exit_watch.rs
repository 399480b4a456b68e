//! Waits for the end of a process and for other things at the same time.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::process::repeated_look::RepeatedLook;

/// A child process whose end is awaited. It is not reaped.
pub(crate) enum ExitWatch {
    /// The system tells us when it ends.
    Told(OwnedFd),
    /// We look again and again: a container may forbid processes as file descriptors, and there may
    /// be no descriptor left.
    Looking(RepeatedLook),
}

impl ExitWatch {
    /// Prepares to wait for this child.
    pub fn new(child: &Child) -> Self {
        match pidfd_open(Pid::from_child(child), PidfdFlags::empty()) {
            Ok(process) => Self::Told(process),
            Err(_) => Self::Looking(RepeatedLook::new(child)),
        }
    }

    /// Waits until the process has ended, one of the others is ready, or the time is over. Returns
    /// whether the process has ended.
    ///
    /// # Errors
    /// If the system refuses to wait.
    pub fn wait<'a>(&'a self, others: &mut Vec<PollFd<'a>>, left: Duration) -> io::Result<bool> {
        match self {
            Self::Told(process) => wait_until_told(process, others, left),
            Self::Looking(look) => look.wait(others, left),
        }
    }
}

fn wait_until_told<'a>(
    process: &'a OwnedFd,
    others: &mut Vec<PollFd<'a>>,
    left: Duration,
) -> io::Result<bool> {
    const FOREVER: Timespec = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };
    others.push(PollFd::new(process, PollFlags::IN));
    match poll(others, Some(&Timespec::try_from(left).unwrap_or(FOREVER))) {
        // The caller looks at the clock and comes back.
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(others.pop().is_some_and(|process| !process.revents().is_empty()))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// Where a container forbids `pidfd_open`, tests still run, and end in time.
    #[test]
    fn both_ways_see_the_same_end() {
        for is_told in [true, false] {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "read -r line"]).stdin(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let watch = match is_told {
                true => ExitWatch::new(&child),
                false => ExitWatch::Looking(RepeatedLook::new(&child)),
            };
            assert!(!watch.wait(&mut Vec::new(), Duration::ZERO).unwrap(), "it waits for a line");
            drop(child.stdin.take());
            while !watch.wait(&mut Vec::new(), Duration::from_secs(1)).unwrap() {}
            assert_eq!(child.wait().unwrap().code(), Some(1), "nobody has reaped it before");
        }
    }
}
