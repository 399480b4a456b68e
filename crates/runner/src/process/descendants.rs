//! The processes of the tests that run now: all are started here, and all that descends from a test
//! is ended here.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Instant;

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process_group, setrlimit};

use crate::process::children::{self, Kind};
use crate::process::platform::{self, Orphans};
use crate::process::watchdog::Watchdog;

/// Rounds of killing before a test that forks faster than we kill is left to the end of the run.
const ROUNDS: usize = 1000;

/// The processes of the tests of a run, or of its proposer.
#[derive(Debug)]
pub(crate) struct Descendants {
    kind: Kind,
    orphans: Orphans,
    watchdog: Watchdog,
    run: String,
}

/// Says why a test could not be started.
pub(crate) enum StartError {
    /// Its files could not be written.
    Files(io::Error),
    /// Its program could not be run.
    Spawn(io::Error),
}

impl Descendants {
    /// Prepares for the tests of the run whose directory is `root`. This process becomes the parent
    /// of orphans where the system knows such a thing, and does not dump core any more. Should it
    /// be killed, a watchdog ends the tests that run then. `kind` tells whether the processes are
    /// tests at all.
    ///
    /// # Errors
    /// If the system refuses, or can start no process.
    pub fn new(root: &Path, kind: Kind) -> io::Result<Self> {
        let orphans = Orphans::adopt()?;
        // A limit of one byte (not zero) also keeps the kernel from starting a dump program.
        let old = getrlimit(Resource::Core);
        if old.current.is_none_or(|limit| limit > 1) {
            setrlimit(Resource::Core, Rlimit { current: Some(1), maximum: old.maximum })?;
        }
        let run = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let watchdog = Watchdog::new(&run, root)?;
        Ok(Self { kind, orphans, watchdog, run })
    }

    /// Starts a process that leads a group of its own, and says when.
    ///
    /// `files` writes what the process reads. It runs under the same lock, since a file that is
    /// open for writing in another thread while we fork could not be executed for a moment.
    pub fn start<T>(
        &self,
        files: impl FnOnce() -> io::Result<T>,
        command: impl FnOnce(T) -> Command,
    ) -> Result<(Child, Instant), StartError> {
        let mut children = children::lock();
        let input = files().map_err(StartError::Files)?;
        let mut command = command(input);
        // When this thread runs again, the process may have been at work for a while.
        let start = Instant::now();
        let child = children.start(&mut command, self.kind).map_err(StartError::Spawn)?;
        self.watchdog.watch(Pid::from_child(&child));
        Ok((child, start))
    }

    /// Kills whatever is left of the test that `child` leads and gives the processes back to the
    /// system, `child` included.
    pub fn reap_with_descendants(
        &self,
        mut child: Child,
        test: &Mark<'_>,
    ) -> io::Result<ExitStatus> {
        let leader = Pid::from_child(&child);
        // Until it is waited for, a dead leader keeps the number of its group from being reused.
        let _ = kill_process_group(leader, Signal::KILL);
        self.watchdog.release(leader);
        let status = children::reap(&mut child);
        Orphans::wait_for_group(leader);
        for _ in 0..ROUNDS {
            if !self.orphans.kill(&children::lock(), test) {
                break;
            }
        }
        status
    }
}

impl Drop for Descendants {
    fn drop(&mut self) {
        let prefix = format!("{}/", self.run);
        for _ in 0..ROUNDS {
            if !self.orphans.kill_all(&children::lock(), MARK, &prefix) {
                break;
            }
        }
    }
}

/// Kills what a dead run of this name left running.
pub(crate) fn kill_abandoned(run: &str) {
    platform::kill_abandoned(MARK, &format!("{run}/"));
}

/// The variable that marks every process of a test, unless it wipes its environment. Its value is
/// the run's name, a slash, and the name of the test's directory.
pub(crate) const MARK: &str = "MINIREPRO_TEST";

/// What the processes of one test have in common.
#[cfg_attr(
    any(not(target_os = "linux"), feature = "portable"),
    expect(dead_code, reason = "only Linux tells whose a process is")
)]
pub(crate) struct Mark<'a> {
    /// The value of [`MARK`] in their environment.
    pub value: &'a str,
    /// They work in here.
    pub directory: &'a Path,
}
