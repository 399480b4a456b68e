//! Runs a command with one browser, or one of each kind, for everything that it does.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::browsers::Choice;
use crate::resident::{self, SOCKET};
use crate::session::{ADDRESSES, LOG, Session, Shared, TABS};

/// Runs the command. Returns its exit code, which is ours; 1 if a signal ended it.
pub(crate) fn run(browsers: &[Choice], command: &[OsString]) -> Result<u8> {
    let (program, arguments) = command.split_first().context("no command")?;
    let shared = Shared::start(browsers)?;
    let session = shared.session();
    // Where the name of a socket would be too long, each test does its own work.
    let socket = resident::listen(&shared.directory, &session).ok();
    let Session { addresses, claims, log, .. } = session;
    let mut command = Command::new(program);
    command.args(arguments).env(ADDRESSES, addresses);
    for (name, path) in [(TABS, claims), (LOG, log), (SOCKET, socket)] {
        if let Some(path) = path {
            command.env(name, path);
        }
    }
    let mut child = command.spawn().with_context(|| program.display().to_string())?;
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
    let ended = ended?;
    Ok(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
