//! Processes that have left the process group of their test or lost their parent. They come to us
//! (`PR_SET_CHILD_SUBREAPER`), and `/proc` says whose they are.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, set_child_subreaper,
    waitpgid, waitpid,
};

use crate::process::mark::{MARK, Mark};

/// The orphans of our tests.
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
        set_child_subreaper(Some(getpid()))?;
        Ok(Self { strangers: children().collect() })
    }

    /// Waits until nothing of a killed process group is left.
    pub fn wait_for_group(leader: Pid) {
        while let Ok(Some(_)) = waitpgid(leader, WaitOptions::empty()) {}
    }

    /// Kills and reaps orphans of one test: those with its mark in their environment, or that work in its
    /// directory. Returns whether there were any. Nobody else may reap processes meanwhile,
    /// so that a process number means the same process all the time.
    ///
    /// `known` are children that are no orphans. If no test runs (`is_last`), orphans that have wiped
    /// their environment and work elsewhere are chosen, too.
    pub fn kill(&self, known: &HashSet<Pid>, test: &Mark<'_>, is_last: bool) -> bool {
        let variable = format!("{MARK}={}", test.value);
        self.kill_chosen(adopted(), known, |process| {
            process.works_in(test.directory)
                || process.has_variable(|entry| entry == variable.as_bytes())
                || is_last && process.is_nobodys(MARK)
        })
    }

    /// Kills and reaps the orphans of all tests whose mark begins like this.
    pub fn kill_all(&self, known: &HashSet<Pid>, name: &str, prefix: &str) -> bool {
        let variable = format!("{name}={prefix}");
        self.kill_chosen(children().collect(), known, |process| {
            process.has_variable(|entry| entry.starts_with(variable.as_bytes()))
                || process.is_nobodys(name)
        })
    }

    fn kill_chosen(
        &self,
        candidates: Vec<Pid>,
        known: &HashSet<Pid>,
        chosen: impl Fn(&Process) -> bool,
    ) -> bool {
        let mut any = false;
        for pid in candidates {
            if known.contains(&pid) || self.strangers.contains(&pid) || !chosen(&Process::new(pid))
            {
                continue;
            }
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::empty());
            any = true;
        }
        any
    }
}

/// Kills what a dead run left running, processes whose variable `name` begins with `prefix`, and waits
/// until they are gone (they are not our children).
pub(crate) fn kill_abandoned(name: &str, prefix: &str) {
    let mark = format!("{name}={prefix}");
    let marked = processes()
        .filter(|&pid| Process::new(pid).has_variable(|entry| entry.starts_with(mark.as_bytes())));
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

/// A process as `/proc` shows it.
struct Process {
    pid: Pid,
    directory: PathBuf,
}

impl Process {
    fn new(pid: Pid) -> Self {
        Self { pid, directory: Path::new("/proc").join(pid.as_raw_pid().to_string()) }
    }

    fn works_in(&self, directory: &Path) -> bool {
        fs::read_link(self.directory.join("cwd")).is_ok_and(|cwd| cwd.starts_with(directory))
    }

    fn has_variable(&self, mut entry: impl FnMut(&[u8]) -> bool) -> bool {
        let environment = fs::read(self.directory.join("environ")).unwrap_or_default();
        environment.split(|&b| b == 0).any(&mut entry)
    }

    /// Returns whether it has no mark of any test, and has not been started by the program that we
    /// are part of: what that starts is in its own process group, which no orphan is, and what
    /// somebody is about to start still runs our own program.
    fn is_nobodys(&self, name: &str) -> bool {
        let program = |directory: &Path| fs::read_link(directory.join("exe")).ok();
        let mark = format!("{name}=");
        let (own, ours) = (Family::of(self.pid), Family::of(getpid()));
        if own.as_ref().map(|own| own.group) == ours.as_ref().map(|ours| ours.group)
            || self.has_variable(|entry| entry.starts_with(mark.as_bytes()))
        {
            return false;
        }
        match program(&self.directory) {
            Some(own) => Some(own) != program(Path::new("/proc/self")),
            // It is dead. If it is of our session, somebody else may be waiting for it.
            None => own.map(|own| own.session) != ours.map(|ours| ours.session),
        }
    }
}

/// Returns children that may be orphans: the kernel gives these to the first thread. Where it does
/// not list a thread's children, all processes are looked through.
fn adopted() -> Vec<Pid> {
    let us = getpid().as_raw_pid();
    match fs::read_to_string(format!("/proc/self/task/{us}/children")) {
        Ok(list) => {
            list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
        }
        Err(_) => children().collect(),
    }
}

fn children() -> impl Iterator<Item = Pid> {
    let us = getpid().as_raw_pid();
    processes().filter(move |&pid| Family::of(pid).is_some_and(|family| family.parent == us))
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|e| Pid::from_raw(e.file_name().to_str()?.parse().ok()?))
}

/// What a process belongs to. Each number is 0 if it stands for something outside of our namespace of
/// processes (a container's first process is in a group of its host), which rustix's own types refuse.
#[derive(Clone, Copy)]
struct Family {
    parent: i32,
    group: i32,
    session: i32,
}

impl Family {
    fn of(pid: Pid) -> Option<Self> {
        Self::read(&fs::read(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?)
    }

    fn read(stat: &[u8]) -> Option<Self> {
        // The name of the program stands in brackets and may contain anything, brackets too.
        let behind_name = stat.iter().rposition(|&b| b == b')')? + 1;
        let fields = str::from_utf8(&stat[behind_name..]).ok()?;
        let mut numbers = fields.split_whitespace().skip(1).map_while(|field| field.parse().ok());
        Some(Self { parent: numbers.next()?, group: numbers.next()?, session: numbers.next()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a container whose first process was started from outside, as on CI.
    #[test]
    fn a_process_whose_group_lies_outside_of_the_namespace_is_no_panic() {
        let family = Family::read(b"1 (a) b) (c) S 0 0 0 34816 1 4194560 1").unwrap();
        assert_eq!((family.parent, family.group, family.session), (0, 0, 0));
        let family = Family::read(b"71 (sh) R 1 70 9 0 -1 4194560").unwrap();
        assert_eq!((family.parent, family.group, family.session), (1, 70, 9));
        assert!(Family::read(b"71 (sh) R 1 70").is_none());
    }
}
