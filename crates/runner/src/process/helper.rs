//! Programs of the user's that are not tests and live as long as a run does, such as workers.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};

use crate::process::descendants::{MARK, reap, start_helper};
use crate::process::platform::ExitWatch;

/// How often a process group is looked at that is about to end.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The process of a shell command, with all that is in its group.
#[derive(Debug)]
pub struct Helper {
    child: Child,
}

impl Helper {
    /// How long a process may take to end after it was asked to.
    pub const FAREWELL: Duration = Duration::from_secs(10);

    /// Starts a shell command; returns its standard input, output and error output, none of which
    /// ever blocks. `name` says what it is for.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(command: &str, name: &str) -> io::Result<(Self, [File; 3])> {
        let mut process = Command::new("/bin/sh");
        process.arg("-c").arg(command);
        // It must not be taken for an orphan of a test.
        process.env(MARK, format!("{name}-of-{}", std::process::id()));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = start_helper(&mut process)?;
        let pipes = [
            child.stdin.take().map(OwnedFd::from),
            child.stdout.take().map(OwnedFd::from),
            child.stderr.take().map(OwnedFd::from),
        ];
        let pipes = pipes.map(|pipe| {
            let pipe = pipe.ok_or(io::ErrorKind::BrokenPipe)?;
            rustix::io::ioctl_fionbio(&pipe, true)?;
            Ok::<_, io::Error>(File::from(pipe))
        });
        match pipes {
            [Ok(input), Ok(output), Ok(errors)] => Ok((Self { child }, [input, output, errors])),
            _ => {
                let _ = Self { child }.end(Duration::ZERO);
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    /// Waits for the end of the process and of whatever is in its group, and ends them if that
    /// takes longer than `patience`. Its input should be closed by then, so that it can end by
    /// itself.
    ///
    /// # Errors
    /// If the system refuses to wait.
    pub fn end(mut self, patience: Duration) -> io::Result<ExitStatus> {
        let group = Pid::from_child(&self.child);
        let has_ended = {
            let watch = ExitWatch::new(&self.child);
            wait_for(patience, |left| watch.wait(&mut Vec::new(), left).unwrap_or(true)) || {
                // A launcher passes this on to what it has started elsewhere.
                let _ = kill_process_group(group, Signal::TERM);
                wait_for(Self::FAREWELL, |left| watch.wait(&mut Vec::new(), left).unwrap_or(true))
            }
        };
        if !has_ended {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let status = reap(&mut self.child);
        // A shell may be dead while what it has started still cleans up.
        wait_for(Self::FAREWELL, |left| {
            let is_empty = || {
                // What has lost its parent may have become our child.
                while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
                test_kill_process_group(group).is_err()
            };
            is_empty() || {
                let pause = Timespec::try_from(left.min(LOOK_AGAIN)).unwrap_or_default();
                let _ = poll(&mut [], Some(&pause));
                is_empty()
            }
        });
        let _ = kill_process_group(group, Signal::KILL);
        status
    }
}

/// Asks again and again, with the time that is left, until something is so or the time is over;
/// returns whether it is so.
fn wait_for(time: Duration, is_so: impl Fn(Duration) -> bool) -> bool {
    let deadline = Instant::now() + time;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if is_so(left) {
            return true;
        }
        if left.is_zero() {
            return false;
        }
    }
}
