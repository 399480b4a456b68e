//! Waits for the end of a process and for other things at the same time.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// A child process whose end is awaited. It is not reaped.
pub(crate) struct ExitWatch {
    process: OwnedFd,
}

impl ExitWatch {
    /// Prepares to wait for this child.
    ///
    /// # Errors
    /// If the system has no file descriptor left.
    pub fn new(child: &Child) -> io::Result<Self> {
        Ok(Self { process: pidfd_open(Pid::from_child(child), PidfdFlags::empty())? })
    }

    /// Waits until the process has ended, one of the others is ready, or the time is over. Returns
    /// whether the process has ended.
    ///
    /// # Errors
    /// If the system refuses to wait.
    pub fn wait<'a>(&'a self, others: &mut Vec<PollFd<'a>>, left: Duration) -> io::Result<bool> {
        const FOREVER: Timespec = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };
        others.push(PollFd::new(&self.process, PollFlags::IN));
        match poll(others, Some(&Timespec::try_from(left).unwrap_or(FOREVER))) {
            // The caller looks at the clock and comes back.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(others.pop().is_some_and(|process| !process.revents().is_empty()))
    }
}
