//! All processes that descend from a test, also those that left its group or lost their parent.
//! Linux only: orphans come to us (`PR_SET_CHILD_SUBREAPER`), `/proc` says whose they are.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitOptions, getrlimit,
    kill_process, kill_process_group, pidfd_open, set_child_subreaper, setrlimit, waitid, waitpgid,
    waitpid,
};

/// The variable that marks every process of a test, unless it wipes its environment.
pub(crate) const MARK: &str = "MINIREPRO_TEST";
/// Rounds of killing before a test that forks faster than we kill is left to [`Family::drop`].
const ROUNDS: usize = 1000;

/// The tests that run now, by the process that was started for each.
#[derive(Debug)]
pub(crate) struct Family {
    roots: Mutex<HashSet<Pid>>,
    /// Children that we had before the first test (of a shell that became us): none of ours.
    strangers: HashSet<Pid>,
}

impl Family {
    /// Makes this process the parent of its orphaned descendants, and keeps them from dumping
    /// cores. Both concern the whole process.
    pub fn new() -> io::Result<Self> {
        set_child_subreaper(Some(rustix::process::getpid()))?;
        // A limit of one byte (not zero) also keeps the kernel from starting a dump program.
        let old = getrlimit(Resource::Core);
        if old.current.is_none_or(|limit| limit > 1) {
            setrlimit(Resource::Core, Rlimit { current: Some(1), maximum: old.maximum })?;
        }
        Ok(Self { roots: Mutex::default(), strangers: children().collect() })
    }

    /// Starts a process that leads its own group, and says when.
    ///
    /// `files` writes what the process reads. It runs under the same lock, since a file that is
    /// open for writing in another thread while we fork could not be executed for a moment.
    pub fn start<T>(
        &self,
        files: impl FnOnce() -> io::Result<T>,
        command: impl FnOnce(T) -> Command,
    ) -> Result<(Child, Instant), StartError> {
        use std::os::unix::process::CommandExt;
        let mut roots = self.roots();
        let input = files().map_err(StartError::Files)?;
        let mut command = command(input);
        // When this thread runs again, the process may have been at work for a while.
        let start = Instant::now();
        let child = command.process_group(0).spawn().map_err(StartError::Spawn)?;
        roots.insert(Pid::from_child(&child));
        Ok((child, start))
    }

    /// Kills whatever is left of the test that `child` leads and gives the processes back to the
    /// system, `child` included.
    pub fn bury(&self, mut child: Child, test: &Mark<'_>) -> io::Result<std::process::ExitStatus> {
        let leader = Pid::from_child(&child);
        // Until it is waited for, a dead leader keeps the number of its group from being reused.
        let _ = kill_process_group(leader, Signal::KILL);
        let status = child.wait();
        while let Ok(Some(_)) = waitpgid(leader, WaitOptions::empty()) {}
        self.roots().remove(&leader);
        for _ in 0..ROUNDS {
            if !has_children() || !self.kill_orphans(leader, |pid| test.is_on(pid)) {
                break;
            }
        }
        status
    }

    /// Kills and buries our children that are not the leader of a test and are `chosen`; whether
    /// there were any. Without any running test, all are chosen.
    fn kill_orphans(&self, since: Pid, chosen: impl Fn(Pid) -> bool) -> bool {
        // Under the lock, so that no other thread buries the same process and its number means
        // something else when we kill it.
        let roots = self.roots();
        let alone = roots.is_empty();
        // Processes older than the test cannot belong to it; those with reused numbers are found
        // when no test runs.
        let from = if alone { 0 } else { since.as_raw_pid() };
        let known = |pid: &Pid| roots.contains(pid) || self.strangers.contains(pid);
        let ours = children().filter(|pid| pid.as_raw_pid() >= from && !known(pid));
        let orphans: Vec<Pid> = ours.filter(|&pid| alone || chosen(pid)).collect();
        for &pid in &orphans {
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::empty());
        }
        !orphans.is_empty()
    }

    fn roots(&self) -> MutexGuard<'_, HashSet<Pid>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        let first = Pid::INIT;
        for _ in 0..ROUNDS {
            if !has_children() || !self.kill_orphans(first, |_| true) {
                break;
            }
        }
    }
}

/// Why a test could not be started.
pub(crate) enum StartError {
    Files(io::Error),
    Spawn(io::Error),
}

/// How to know the processes of one test.
pub(crate) struct Mark<'a> {
    /// `NAME=value` in their environment.
    pub variable: &'a str,
    /// They work in here.
    pub directory: &'a Path,
}

impl Mark<'_> {
    fn is_on(&self, pid: Pid) -> bool {
        let process = Path::new("/proc").join(pid.as_raw_pid().to_string());
        fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(self.directory))
            || environment_has(&process, |entry| entry == self.variable.as_bytes())
    }
}

/// Kills what a dead run left running, processes whose mark begins with `run`, and waits until
/// they are gone (they are not our children).
pub(crate) fn kill_abandoned(run: &str) {
    let mark = format!("{MARK}={run}/");
    let marked = processes().filter(|pid| {
        let process = Path::new("/proc").join(pid.as_raw_pid().to_string());
        environment_has(&process, |entry| entry.starts_with(mark.as_bytes()))
    });
    // All are killed before we wait for the first.
    let dying: Vec<_> = marked
        .filter_map(|pid| {
            let exit = pidfd_open(pid, PidfdFlags::empty()).ok()?;
            kill_process(pid, Signal::KILL).is_ok().then_some(exit)
        })
        .collect();
    for exit in dying {
        let patience = Timespec { tv_sec: 1, tv_nsec: 0 };
        let _ = poll(&mut [PollFd::new(&exit, PollFlags::IN)], Some(&patience));
    }
}

fn environment_has(process: &Path, mut entry: impl FnMut(&[u8]) -> bool) -> bool {
    let environment = fs::read(process.join("environ")).unwrap_or_default();
    environment.split(|&b| b == 0).any(&mut entry)
}

fn has_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, look).is_ok()
}

fn children() -> impl Iterator<Item = Pid> {
    let us = rustix::process::getpid().as_raw_pid();
    processes().filter(move |pid| parent(*pid) == Some(us))
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|e| Pid::from_raw(e.file_name().to_str()?.parse().ok()?))
}

fn parent(pid: Pid) -> Option<i32> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    // The name of the program stands in brackets and may contain anything, brackets too.
    let behind_name = stat.iter().rposition(|&b| b == b')')? + 1;
    let fields = str::from_utf8(&stat[behind_name..]).ok()?;
    fields.split_whitespace().nth(1)?.parse().ok()
}
