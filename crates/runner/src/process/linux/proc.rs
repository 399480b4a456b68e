//! Processes as `/proc` shows them.
//!
//! In a container it may be missing, or belong to another namespace of processes than ours: then
//! its numbers mean other processes to us, and must never be the target of a signal. So a process
//! has two numbers here, one for `/proc` and one for the system's calls.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, getpid};

/// `/proc` as it is mounted here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proc {
    /// Our own number in it.
    own: i32,
    /// How many namespaces lie between its own and ours.
    depth: usize,
}

/// A process that `/proc` shows.
pub(super) struct Process {
    /// Its number for calls of the system.
    pub pid: Pid,
    directory: PathBuf,
}

impl Proc {
    /// Finds out how `/proc` sees us; `None` if it does not.
    pub fn mounted() -> Option<Self> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        Self::seen(&status, getpid().as_raw_pid())
    }

    /// The same from our own `status`, where the system calls us `pid`.
    fn seen(status: &str, pid: i32) -> Option<Self> {
        let own = numbers(status, "Pid:").next()?;
        // Old kernels and others than Linux do not list all namespaces.
        let all: Vec<i32> = numbers(status, "NSpid:").collect();
        let depth = all.len().saturating_sub(1);
        (*all.last().unwrap_or(&own) == pid).then_some(Self { own, depth })
    }

    /// Returns all processes that have a number in our namespace.
    pub fn processes(self) -> impl Iterator<Item = Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(move |entry| self.process(entry.file_name().to_str()?.parse().ok()?))
    }

    /// Returns our children.
    pub fn children(self) -> impl Iterator<Item = Process> {
        let is_ours = move |family: Family| family.parent == self.own;
        self.processes().filter(move |process| process.family().is_some_and(is_ours))
    }

    /// Returns children that may be orphans: the kernel gives these to the first thread. Where it
    /// does not list a thread's children, all processes are looked through.
    pub fn adopted(self) -> Vec<Process> {
        match fs::read_to_string(format!("/proc/self/task/{}/children", self.own)) {
            Ok(list) => {
                let listed = list.split_whitespace().filter_map(|number| number.parse().ok());
                listed.filter_map(|number| self.process(number)).collect()
            }
            Err(_) => self.children().collect(),
        }
    }

    /// Returns the process that has this number in `/proc`.
    fn process(self, number: i32) -> Option<Process> {
        let directory = Path::new("/proc").join(number.to_string());
        let pid = match self.depth {
            0 => number,
            depth => {
                let status = fs::read_to_string(directory.join("status")).ok()?;
                numbers(&status, "NSpid:").nth(depth)?
            }
        };
        Some(Process { pid: positive(pid)?, directory })
    }
}

/// Returns the process of this number. rustix refuses others by a panic.
fn positive(number: i32) -> Option<Pid> {
    if number > 0 { Pid::from_raw(number) } else { None }
}

/// Returns the numbers in the line of `status` that begins with this name.
fn numbers<'a>(status: &'a str, name: &str) -> impl Iterator<Item = i32> + 'a {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().map_while(|number| number.parse().ok())
}

impl Process {
    /// Returns ourselves.
    pub fn own() -> Self {
        Self { pid: getpid(), directory: "/proc/self".into() }
    }

    /// Returns whether it works below this directory.
    pub fn works_in(&self, directory: &Path) -> bool {
        fs::read_link(self.directory.join("cwd")).is_ok_and(|cwd| cwd.starts_with(directory))
    }

    /// Returns whether an entry of its environment is one of those.
    pub fn has_variable(&self, mut entry: impl FnMut(&[u8]) -> bool) -> bool {
        let environment = fs::read(self.directory.join("environ")).unwrap_or_default();
        environment.split(|&b| b == 0).any(&mut entry)
    }

    /// Returns whether it has arguments. Only what is becoming another program, or is dead, has
    /// none.
    pub fn has_arguments(&self) -> bool {
        fs::read(self.directory.join("cmdline")).is_ok_and(|arguments| !arguments.is_empty())
    }

    /// Returns the file of its program; `None` if it is dead.
    pub fn program(&self) -> Option<PathBuf> {
        fs::read_link(self.directory.join("exe")).ok()
    }

    /// Returns what it belongs to; `None` if it is gone.
    pub fn family(&self) -> Option<Family> {
        Family::read(&fs::read(self.directory.join("stat")).ok()?)
    }
}

/// What a process belongs to, in the numbers of `/proc`. Each is 0 if it stands for something
/// outside of our namespace of processes (a container's first process is in a group of its host),
/// which rustix's own types refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family {
    /// Its parent.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// Its session.
    pub session: i32,
}

impl Family {
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
        assert!([0, -1].into_iter().all(|number| positive(number).is_none()));
    }

    #[test]
    fn numbers_of_another_namespace_are_translated_or_not_believed() {
        let check = |status: &str, pid, expected: Option<(i32, usize)>| {
            let seen = Proc::seen(status, pid).map(|proc| (proc.own, proc.depth));
            assert_eq!(seen, expected, "{status}");
        };
        check("Name:\ta\nPid:\t71\nNSpid:\t71\n", 71, Some((71, 0)));
        // `unshare --pid --fork` without a new /proc.
        check("Pid:\t7100\nPPid:\t1\nNSpid:\t7100\t12\t3\n", 3, Some((7100, 2)));
        check("Pid:\t71\nPPid:\t1\n", 71, Some((71, 0)));
        check("Pid:\t71\nPPid:\t1\n", 3, None);
        check("Pid:\t71\nNSpid:\t71\n", 3, None);
        check("", 3, None);
    }

    #[test]
    fn a_child_is_found_by_the_number_that_the_system_knows() {
        let Some(proc) = Proc::mounted() else { return };
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = Pid::from_child(&child);
        let found = proc.children().any(|process| process.pid == pid);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found);
    }
}
