//! Waits for the end of a process and for other things at the same time.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// The first pause between two looks, if nothing tells of an end; each is twice as long as the one
/// before.
const SHORTEST: Duration = Duration::from_micros(200);
/// The longest of these pauses.
const LONGEST: Duration = Duration::from_millis(10);

/// A child process whose end is awaited. It is not reaped.
pub(crate) struct ExitWatch<'c> {
    child: &'c Child,
    /// Can be read when the process has ended. Not all systems offer that, a container may forbid
    /// it, and there may be no descriptor left.
    told: Option<OwnedFd>,
}

impl<'c> ExitWatch<'c> {
    /// Prepares to wait for this child.
    pub fn new(child: &'c Child) -> Self {
        #[cfg(target_os = "linux")]
        let told = {
            use rustix::process::{PidfdFlags, pidfd_open};
            pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
        };
        #[cfg(not(target_os = "linux"))]
        let told = None;
        Self { child, told }
    }

    /// Waits until the process has ended, one of the others is ready, or the time is over. Returns
    /// whether the process has ended.
    ///
    /// # Errors
    /// If the system refuses to wait.
    pub fn wait<'a>(&'a self, mut others: Vec<PollFd<'a>>, time: Duration) -> io::Result<bool> {
        const FOREVER: Timespec = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };
        let start = Instant::now();
        let mut pause = if self.told.is_some() { time } else { SHORTEST };
        others.extend(self.told.iter().map(|process| PollFd::new(process, PollFlags::IN)));
        loop {
            if has_ended(self.child)? {
                return Ok(true);
            }
            let left = time.saturating_sub(start.elapsed());
            match poll(&mut others, Some(&left.min(pause).try_into().unwrap_or(FOREVER))) {
                Ok(0) if !left.is_zero() => pause = pause.saturating_mul(2).min(LONGEST),
                // The caller looks at the clock and comes back.
                Ok(_) | Err(Errno::INTR) => return has_ended(self.child),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Returns whether a child has ended. It is not reaped.
///
/// # Errors
/// If the system refuses.
pub(crate) fn has_ended(child: &Child) -> io::Result<bool> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), look)?.is_some())
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
            let stdin = child.stdin.take();
            let mut watch = ExitWatch::new(&child);
            watch.told = watch.told.filter(|_| is_told);
            assert!(!watch.wait(Vec::new(), Duration::ZERO).unwrap(), "it waits for a line");
            drop(stdin);
            while !watch.wait(Vec::new(), Duration::from_secs(1)).unwrap() {}
            assert_eq!(child.wait().unwrap().code(), Some(1), "nobody has reaped it before");
        }
    }
}
