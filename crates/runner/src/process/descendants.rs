//! The processes of the tests that run now: all are started here, and all that descends from a test
//! is ended here.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::MutexGuard;
use std::time::Instant;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, getrlimit, kill_process_group, setrlimit, waitpgid,
};

use crate::process::children::{self, Children, Kind};
use crate::process::orphans::Orphans;
use crate::process::watchdog::Watchdog;

/// The variable that marks every process of a test, unless it wipes its environment: its value is
/// the test's directory.
pub(crate) const MARK: &str = "MINIREPRO_TEST";

/// Rounds of killing before a test that forks faster than we kill is left to the end of the run.
const ROUNDS: usize = 1000;

/// The processes of the tests of a run, or of its proposer.
#[derive(Debug)]
pub(crate) struct Descendants {
    kind: Kind,
    orphans: Orphans,
    watchdog: Watchdog,
    root: PathBuf,
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
        Ok(Self { kind, orphans, watchdog: Watchdog::new(root)?, root: root.to_owned() })
    }

    /// Starts a process that leads a group of its own and belongs to the test in this directory,
    /// and says when. Its files were written under the same lock: one that is open for writing in
    /// another thread while we fork could not be executed for a moment.
    ///
    /// # Errors
    /// If the system refuses, or there is no such program.
    pub fn start(
        &self,
        mut children: MutexGuard<'_, Children>,
        command: &mut Command,
        directory: &Path,
    ) -> io::Result<(Child, Instant)> {
        command.env(MARK, directory);
        // When this thread runs again, the process may have been at work for a while.
        let start = Instant::now();
        let child = children.start(command, self.kind)?;
        self.watchdog.watch(Pid::from_child(&child));
        Ok((child, start))
    }

    /// Kills whatever is left of the test in this directory that `child` leads, and gives the
    /// processes back to the system, `child` included.
    pub fn reap_with_descendants(
        &self,
        mut child: Child,
        directory: &Path,
    ) -> io::Result<ExitStatus> {
        let leader = Pid::from_child(&child);
        // Until it is waited for, a dead leader keeps the number of its group from being reused.
        let _ = kill_process_group(leader, Signal::KILL);
        self.watchdog.release(leader);
        let status = children::reap(&mut child);
        // Of its group, what has lost its parent is our child now.
        while let Ok(Some(_)) = waitpgid(leader, WaitOptions::empty()) {}
        self.kill_orphans(directory);
        status
    }

    fn kill_orphans(&self, directory: &Path) {
        let _is_clear = (0..ROUNDS).any(|_| !self.orphans.kill(directory));
    }
}

impl Drop for Descendants {
    fn drop(&mut self) {
        self.kill_orphans(&self.root);
    }
}
