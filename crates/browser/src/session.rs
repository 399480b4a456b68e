//! One browser, or one of each kind, for everything that a command does.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::browsers::{Choice, Running};

/// Tells tests where the browsers are: addresses with blanks between them.
pub(crate) const VARIABLE: &str = "MINIREPRO_BROWSER";

/// Tells tests where they claim tabs.
pub(crate) const TABS: &str = "MINIREPRO_BROWSER_TABS";

/// Runs the command; its exit code is ours.
pub(crate) fn run(browsers: &[Choice], command: &[OsString]) -> Result<ExitCode> {
    let (program, arguments) = command.split_first().context("no command")?;
    let running: Vec<Running> = browsers.iter().map(Choice::start).collect::<Result<_>>()?;
    let addresses: Vec<&str> = running.iter().map(Running::address).collect();
    let claims = tempfile::tempdir().context("no directory for claims on tabs")?;
    let mut child = Command::new(program)
        .args(arguments)
        .env(VARIABLE, addresses.join(" "))
        .env(TABS, claims.path())
        .spawn()
        .with_context(|| program.display().to_string())?;
    // The terminal interrupts the command itself; we stay until it has ended.
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let handle = signals.handle();
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let forward = std::thread::spawn(move || {
        for signal in signals.forever() {
            if let (SIGTERM, Some(pid)) = (signal, pid) {
                // It may have ended just now.
                let _gone = kill_process(pid, Signal::TERM);
            }
        }
    });
    let ended = child.wait();
    handle.close();
    // A thread that only forwards signals has nothing to tell.
    let _joined = forward.join();
    let code = ended?.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}
