//! Processes that have left the process group of their test or lost their parent. On Linux they
//! come to us (`PR_SET_CHILD_SUBREAPER`), and `/proc` says whose they are.
//!
//! In a container `/proc` may be missing, or belong to another namespace of processes than ours:
//! then its numbers mean other processes to us, and must never be the target of a signal.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

use crate::process::children;
use crate::process::descendants::MARK;

/// The orphans of our tests. Where `/proc` does not show them, there are none.
#[derive(Debug)]
pub(crate) struct Orphans {
    /// Children that we had before the first test (of a shell that became us): none of ours.
    strangers: HashSet<Pid>,
}

impl Orphans {
    /// Makes this process the parent of its orphaned descendants.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn adopt() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(getpid()))?;
        let known = children::lock();
        // Tests of other runs may be at work, and have orphans.
        let strangers =
            our_children().filter(|process| !known.have(process.pid) && process.mark().is_none());
        Ok(Self { strangers: strangers.map(|process| process.pid).collect() })
    }

    /// Kills and reaps the orphans of all tests in this directory: those that are marked with it,
    /// or work there; if no other test runs, also those that have wiped their environment and work
    /// elsewhere. Returns whether there were any. Nobody else may reap processes meanwhile, so that
    /// a process number means the same process all the time.
    pub fn kill(&self, directory: &Path) -> bool {
        let known = children::lock();
        let mut any = false;
        for process in our_children() {
            let is_orphan = !known.have(process.pid) && !self.strangers.contains(&process.pid);
            if is_orphan && (process.is_of(directory) || !known.have_test() && process.is_nobodys())
            {
                let _ = kill_process(process.pid, Signal::KILL);
                let _ = waitpid(Some(process.pid), WaitOptions::empty());
                any = true;
            }
        }
        any
    }
}

/// Returns our children, as far as they may be orphans: the kernel gives these to the first thread.
fn our_children() -> impl Iterator<Item = Process> {
    let own = getpid().to_string();
    let is_ours = fs::read_link("/proc/self").is_ok_and(|seen| seen == Path::new(&own));
    let list = is_ours.then(|| fs::read_to_string(format!("/proc/self/task/{own}/children")).ok());
    let list = list.flatten().unwrap_or_default();
    let numbers: Vec<i32> = list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    // rustix refuses others by a panic.
    let positive = numbers.into_iter().filter(|number| *number > 0).filter_map(Pid::from_raw);
    positive.map(|pid| Process { pid, directory: format!("/proc/{pid}").into() })
}

/// A process that `/proc` shows.
struct Process {
    pid: Pid,
    directory: PathBuf,
}

impl Process {
    /// Returns whether it is of a test in this directory.
    fn is_of(&self, directory: &Path) -> bool {
        let works_in = fs::read_link(self.directory.join("cwd"));
        works_in.is_ok_and(|place| place.starts_with(directory))
            || self.mark().is_some_and(|place| place.starts_with(directory))
    }

    /// Returns the directory of the test that it is marked with.
    fn mark(&self) -> Option<PathBuf> {
        let environment = fs::read(self.directory.join("environ")).unwrap_or_default();
        let mut entries = environment.split(|&byte| byte == 0);
        let mark = |entry: &[u8]| {
            let place = entry.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=")?;
            Some(PathBuf::from(std::ffi::OsStr::from_bytes(place)))
        };
        entries.find_map(mark)
    }

    /// Returns whether it has no mark of any test, and was not started by the program that we are
    /// part of. Other parts of that program may start processes without our knowledge, and only
    /// some of them stay in our process group; whatever is about to become another program is left
    /// alone until it is that.
    fn is_nobodys(&self) -> bool {
        let us = Self { pid: getpid(), directory: "/proc/self".into() };
        let (Some((group, session)), Some((our_group, our_session))) = (self.family(), us.family())
        else {
            return false;
        };
        let program = |process: &Self| fs::read_link(process.directory.join("exe")).ok();
        match program(self) {
            _ if group == our_group => false,
            // It is dead. If it is of our session, somebody else may be waiting for it.
            None => session != our_session,
            program_of_it => program_of_it != program(&us) && self.mark().is_none(),
        }
    }

    /// Returns the process group and the session that it belongs to; `None` if it is gone. Each is
    /// 0 if it lies outside of our namespace of processes, as that of a container's first process,
    /// which rustix's own types refuse.
    fn family(&self) -> Option<(u32, u32)> {
        let stat = fs::read(self.directory.join("stat")).ok()?;
        family(&String::from_utf8_lossy(&stat))
    }
}

fn family(stat: &str) -> Option<(u32, u32)> {
    // The name of the program stands in brackets and may contain anything, brackets too.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut numbers = fields.split_whitespace().skip(2).map_while(|field| field.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a container whose first process was started from outside, as on CI.
    #[test]
    fn a_process_whose_group_lies_outside_of_the_namespace_is_no_panic() {
        assert_eq!(family("1 (a) b) (c) S 0 0 0 34816 1 4194560 1"), Some((0, 0)));
        assert_eq!(family("71 (sh) R 1 70 9 0 -1 4194560"), Some((70, 9)));
        assert_eq!(family("71 (sh) R 1 70"), None);
    }
}
