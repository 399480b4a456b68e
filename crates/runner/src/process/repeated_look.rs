//! Waits for the end of a process and for other things at the same time, by looking often. Serves
//! where the system offers nothing better, or forbids it.

use std::io;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// The first pause between two looks; each is twice as long as the one before.
const SHORTEST: Duration = Duration::from_micros(200);
/// The longest pause.
const LONGEST: Duration = Duration::from_millis(10);

/// A child process whose end is awaited. It is not reaped.
pub(crate) struct RepeatedLook {
    process: Pid,
}

impl RepeatedLook {
    /// Prepares to wait for this child.
    pub fn new(child: &Child) -> Self {
        Self { process: Pid::from_child(child) }
    }

    /// Waits until the process has ended, one of the others is ready, or the time is over. Returns
    /// whether the process has ended.
    ///
    /// # Errors
    /// If the system refuses to wait.
    pub fn wait<'a>(&'a self, others: &mut Vec<PollFd<'a>>, left: Duration) -> io::Result<bool> {
        let start = Instant::now();
        let mut pause = SHORTEST;
        loop {
            if self.has_ended()? {
                return Ok(true);
            }
            let left = left.saturating_sub(start.elapsed());
            let time = Timespec::try_from(left.min(pause)).unwrap_or_default();
            match poll(others, Some(&time)) {
                Ok(0) => {}
                Ok(_) | Err(Errno::INTR) => return self.has_ended(),
                Err(error) => return Err(error.into()),
            }
            if left.is_zero() {
                return self.has_ended();
            }
            pause = (pause * 2).min(LONGEST);
        }
    }

    fn has_ended(&self) -> io::Result<bool> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.process), look)?.is_some())
    }
}
