//! One browser, or one of each kind, for everything that a command does.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::browsers::{Choice, Running};
use crate::resident::{self, SOCKET};
use crate::warm::Warm;

/// Tells tests where the browsers are: addresses with blanks between them.
const ADDRESSES: &str = "MINIREPRO_BROWSER";

/// Tells tests where they claim tabs.
const TABS: &str = "MINIREPRO_BROWSER_TABS";

/// Tells tests where they find what the first browser says about crashes.
const LOG: &str = "MINIREPRO_BROWSER_LOG";

/// The directory for claims on tabs.
const CLAIMS: &str = "tabs";

/// The browsers that a test shares with others.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) addresses: String,
    /// Where tabs are claimed.
    pub(crate) claims: Option<PathBuf>,
    /// What the first browser says.
    pub(crate) log: Option<PathBuf>,
    /// Tabs that stay open between tests of one process.
    pub(crate) warm: Option<Arc<Warm>>,
}

impl Session {
    /// Returns the one in which this program runs, if it does.
    pub(crate) fn of_environment() -> Option<Self> {
        let path = |name| std::env::var_os(name).map(PathBuf::from);
        let addresses = std::env::var(ADDRESSES).ok()?;
        Some(Self { addresses, claims: path(TABS), log: path(LOG), warm: None })
    }
}

/// Browsers that run for several tests.
pub(crate) struct Shared {
    running: Vec<Running>,
    /// Where tabs are claimed, and tests find us.
    directory: PathBuf,
    warm: Arc<Warm>,
}

impl Shared {
    /// Starts them.
    pub(crate) fn start(browsers: &[Choice]) -> Result<Self> {
        let running: Vec<Running> = browsers.iter().map(Choice::start).collect::<Result<_>>()?;
        let directory = running.first().context("a session without a browser")?.directory();
        let directory = directory.join("minirepro");
        std::fs::create_dir_all(directory.join(CLAIMS)).context("no directory for claims")?;
        Ok(Self { running, directory, warm: Arc::default() })
    }

    /// Returns an empty directory that is deleted with those of the browsers.
    pub(crate) fn scratch(&self) -> Result<tempfile::TempDir> {
        Ok(tempfile::tempdir_in(&self.directory)?)
    }

    /// Returns what a test needs to know of them.
    pub(crate) fn session(&self) -> Session {
        let addresses: Vec<&str> = self.running.iter().map(Running::address).collect();
        Session {
            addresses: addresses.join(" "),
            claims: Some(self.directory.join(CLAIMS)),
            log: self.running.iter().find_map(Running::log).map(Path::to_owned),
            warm: Some(Arc::clone(&self.warm)),
        }
    }
}

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
