//! The children that this process has started itself, by which they are told from orphans of tests.
//!
//! There is one list in a process, whatever runs in it, since the kernel gives all orphans to the
//! process and not to the run whose test they come from. Its lock is held while a child is started
//! and while orphans are looked for: a process that is about to become a program has neither our
//! file nor an environment yet, and nobody but its parent knows whose it is.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

use process_wrap::std::{CommandWrap, CommandWrapper, ProcessSession};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::system::resources;

static CHILDREN: Mutex<Children> = Mutex::new(Children(Vec::new()));

/// The children that were started here and have not been waited for.
#[derive(Debug)]
pub(crate) struct Children(Vec<(Pid, Kind)>);

/// The purpose of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It runs a test, and is gone soon.
    Test,
    /// It may live as long as the run: a watchdog, a worker, a proposer.
    Helper,
}

/// Returns the children; until it is dropped, none is started or forgotten.
pub(crate) fn lock() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a helper.
///
/// # Errors
/// If the system refuses.
pub(crate) fn start_helper(command: &mut Command) -> io::Result<Child> {
    lock().start(command, Kind::Helper)
}

/// Waits for the end of a child and gives it back to the system.
///
/// # Errors
/// If the system refuses to wait.
pub(crate) fn reap(child: &mut Child) -> io::Result<ExitStatus> {
    let pid = Pid::from_child(child);
    let is_over = || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    while is_over().is_err_and(|error| error == rustix::io::Errno::INTR) {}
    reap_ended(child)?.ok_or_else(|| io::ErrorKind::WouldBlock.into())
}

/// Gives a child back to the system if it has ended.
///
/// # Errors
/// If the system refuses.
pub(crate) fn reap_ended(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let pid = Pid::from_child(child);
    // Its number cannot mean another child before the list has forgotten it.
    let mut children = lock();
    let status = child.try_wait();
    if !matches!(status, Ok(None)) {
        children.0.retain(|(known, _)| *known != pid);
    }
    status
}

impl Children {
    /// Starts a child that leads a group of its own, which no signal to ours reaches.
    ///
    /// If we have a terminal, it leads a session as well: the kernel stops whoever reads from a
    /// terminal or changes it from the background, for ever, and nobody would get to know. Without
    /// one that is spared, since the system starts processes faster that only get a group.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(&mut self, command: &mut Command, kind: Kind) -> io::Result<Child> {
        if File::open("/dev/tty").is_ok() {
            let context = CommandWrap::from(Command::new(""));
            ProcessSession.pre_spawn(command, &context)?;
        } else {
            command.process_group(0);
        }
        let child = resources::spawn(command)?;
        self.0.push((Pid::from_child(&child), kind));
        Ok(child)
    }

    /// Returns whether this process was started here.
    pub fn have(&self, pid: Pid) -> bool {
        self.0.iter().any(|(known, _)| *known == pid)
    }

    /// Returns whether a test is running.
    pub fn have_test(&self) -> bool {
        self.0.iter().any(|(_, kind)| *kind == Kind::Test)
    }
}
