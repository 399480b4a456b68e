//! Processes that have left the process group of their test or lost their parent. They come to us
//! (`PR_SET_CHILD_SUBREAPER`), and `/proc` says whose they are.

use std::collections::HashSet;
use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, set_child_subreaper,
    waitpgid, waitpid,
};

use super::proc::{Proc, Process};
use crate::process::descendants::{self, Children};
use crate::process::descendants::{MARK, Mark};

/// The orphans of our tests.
#[derive(Debug)]
pub(crate) struct Orphans {
    /// Where they are seen. Without it, only the process groups of tests are ended.
    proc: Option<Proc>,
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
        let proc = Proc::mounted();
        let known = descendants::lock();
        let strangers = proc.into_iter().flat_map(Proc::children).filter(|process| {
            // Tests of other runs may be at work, and have orphans.
            !known.have(process.pid) && !process.has_variable(|entry| is_mark(entry, MARK))
        });
        Ok(Self { proc, strangers: strangers.map(|process| process.pid).collect() })
    }

    /// Waits until nothing of a killed process group is left.
    pub fn wait_for_group(leader: Pid) {
        while let Ok(Some(_)) = waitpgid(leader, WaitOptions::empty()) {}
    }

    /// Kills and reaps orphans of one test: those with its mark in their environment, or that work
    /// in its directory. Returns whether there were any. Nobody else may reap processes meanwhile,
    /// so that a process number means the same process all the time.
    ///
    /// `known` are children that are not orphans. If no other test runs, orphans that have wiped
    /// their environment and work elsewhere are chosen, too.
    pub fn kill(&self, known: &Children, test: &Mark<'_>) -> bool {
        let variable = format!("{MARK}={}", test.value);
        let adopted = self.proc.map(Proc::adopted).unwrap_or_default();
        self.kill_chosen(adopted, known, |process| {
            process.works_in(test.directory)
                || process.has_variable(|entry| entry == variable.as_bytes())
                || !known.have_test() && is_nobodys(process, MARK)
        })
    }

    /// Kills and reaps the orphans of all tests whose mark begins like this; if no test of another
    /// run is at work, also those without a mark.
    pub fn kill_all(&self, known: &Children, name: &str, prefix: &str) -> bool {
        let variable = format!("{name}={prefix}");
        let adopted = self.proc.map(Proc::adopted).unwrap_or_default();
        self.kill_chosen(adopted, known, |process| {
            process.has_variable(|entry| entry.starts_with(variable.as_bytes()))
                || !known.have_test() && is_nobodys(process, name)
        })
    }

    fn kill_chosen(
        &self,
        candidates: Vec<Process>,
        known: &Children,
        chosen: impl Fn(&Process) -> bool,
    ) -> bool {
        let mut any = false;
        for process in candidates {
            let pid = process.pid;
            if known.have(pid) || self.strangers.contains(&pid) || !chosen(&process) {
                continue;
            }
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::empty());
            any = true;
        }
        any
    }
}

/// Kills what a dead run left running, processes whose variable `name` begins with `prefix`, and
/// waits until they are gone (they are not our children).
pub(crate) fn kill_abandoned(name: &str, prefix: &str) {
    let mark = format!("{name}={prefix}");
    let is_marked =
        |process: &Process| process.has_variable(|entry| entry.starts_with(mark.as_bytes()));
    let marked = Proc::mounted().into_iter().flat_map(Proc::processes).filter(is_marked);
    // All are killed before we wait for the first.
    let dying: Vec<_> = marked
        .filter_map(|process| {
            // A container may forbid this; then nobody waits.
            let exit = pidfd_open(process.pid, PidfdFlags::empty());
            let _ = kill_process(process.pid, Signal::KILL);
            exit.ok()
        })
        .collect();
    for exit in dying {
        let patience = Timespec { tv_sec: 1, tv_nsec: 0 };
        let _ = poll(&mut [PollFd::new(&exit, PollFlags::IN)], Some(&patience));
    }
}

fn is_mark(entry: &[u8], name: &str) -> bool {
    entry.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
}

/// Returns whether a process has no mark of any test, and was not started by the program that we
/// are part of. Other parts of that program may start processes without our knowledge, and only
/// some of them stay in our process group; whatever is about to become another program is left
/// alone until it is that.
fn is_nobodys(process: &Process, name: &str) -> bool {
    let us = Process::own();
    let (own, ours) = (process.family(), us.family());
    if own.map(|own| own.group) == ours.map(|ours| ours.group) {
        return false;
    }
    let Some(program) = process.program() else {
        // It is dead. If it is of our session, somebody else may be waiting for it.
        return own.map(|own| own.session) != ours.map(|ours| ours.session);
    };
    // The kernel replaces the file, the arguments and the environment of a process one after the
    // other. Arguments that are there, and the same file before and after all other looks, mean
    // that it was not at that meanwhile.
    Some(&program) != us.program().as_ref()
        && process.has_arguments()
        && !process.has_variable(|entry| is_mark(entry, name))
        && process.program().as_ref() == Some(&program)
}
