//! Programs of the user's that are not tests and live as long as a run does, such as workers.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};

use crate::process::children;
use crate::process::descendants::MARK;

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

    /// Starts a shell command; returns its standard input, output and error output.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(command: &str) -> io::Result<(Self, (ChildStdin, ChildStdout, ChildStderr))> {
        let mut process = Command::new("/bin/sh");
        process.arg("-c").arg(command);
        // What it leaves must not be taken for an orphan of a test.
        process.env(MARK, "helper");
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = children::start_helper(&mut process)?;
        let pipes = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
        let ((input, output), errors) = pipes.expect("all of them were asked for");
        Ok((Self { child }, (input, output, errors)))
    }

    /// Waits for the end of the process and of whatever is in its group, and ends them if that
    /// takes longer than `patience`. Its input should be closed by then, so that it can end by
    /// itself.
    ///
    /// # Errors
    /// If the system refuses to wait.
    pub fn end(mut self, patience: Duration) -> io::Result<ExitStatus> {
        let group = Pid::from_child(&self.child);
        let mut status = None;
        // A launcher passes the first signal on to what it has started elsewhere.
        for (patience, next) in [(patience, Signal::TERM), (Self::FAREWELL, Signal::KILL)] {
            let start = Instant::now();
            loop {
                status = status
                    .map_or_else(|| children::reap_ended(&mut self.child), |it| Ok(Some(it)))?;
                // A shell may be dead while what it has started still cleans up; what has lost its
                // parent may have become our child.
                while status.is_some()
                    && waitpgid(group, WaitOptions::NOHANG).is_ok_and(|it| it.is_some())
                {
                }
                if let Some(status) = status
                    && test_kill_process_group(group).is_err()
                {
                    return Ok(status);
                }
                if start.elapsed() >= patience {
                    break;
                }
                sleep(LOOK_AGAIN);
            }
            let _ = kill_process_group(group, next);
        }
        status.map_or_else(|| children::reap(&mut self.child), Ok)
    }
}
