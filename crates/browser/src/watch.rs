//! Starts a browser that ends with this program, however that ends: between both stands a process
//! that reads a pipe which nobody writes to, and ends the browser at its end.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};

/// How often the profile is tried to be deleted, and how long to wait in between.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// A browser with the process that watches over it; ended when dropped.
pub(crate) struct Watched(Child);

impl Watched {
    /// Starts a program with arguments. Its profile is deleted after its end. What it says on its
    /// standard error goes to `errors`.
    pub(crate) fn start(
        program: &Path,
        arguments: Vec<OsString>,
        profile: &Path,
        errors: impl Into<Stdio>,
    ) -> Result<Self> {
        let child = Command::new(std::env::current_exe()?)
            .arg("watch")
            .arg(profile)
            .arg("--")
            .arg(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(errors)
            // What interrupts a reduction must not end the browser before the last test.
            .process_group(0)
            .spawn()
            .with_context(|| program.display().to_string())?;
        Ok(Self(child))
    }

    /// Returns the process that watches over it, which stands above all of its processes.
    pub(crate) fn process(&self) -> u32 {
        self.0.id()
    }

    /// Returns how the browser has ended, if it has.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.0.try_wait()?)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _status = self.0.wait();
    }
}

/// Runs a browser until it ends, or until the program that wants it has ended.
pub(crate) fn watch(profile: &Path, command: &[OsString]) -> Result<ExitCode> {
    let (program, arguments) = command.split_first().context("no command")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .with_context(|| program.display().to_string())?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let end = move || {
        if let Some(group) = group {
            // It may have ended on its own.
            let _gone = kill_process_group(group, Signal::KILL);
        }
    };
    std::thread::spawn(move || {
        let _end = std::io::stdin().read_to_end(&mut Vec::new());
        end();
    });
    let status = child.wait()?;
    // What the browser has started and not ended.
    end();
    for _ in 0..ATTEMPTS {
        // Processes that are ending still write there.
        if std::fs::remove_dir_all(profile).is_ok() || !profile.exists() {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
