//! Control groups (version 2) of the kernel: a group of processes that is limited and killed as
//! one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A directory in which groups for tests can be made.
#[derive(Debug)]
pub(crate) struct Groups {
    directory: PathBuf,
    /// Whether the kernel limits memory and numbers of processes here.
    limits: bool,
}

/// A group for one test. Dropping it kills what is left in it.
#[derive(Debug)]
pub(crate) struct Group {
    directory: PathBuf,
}

impl Groups {
    /// Makes a directory called `name` below this process's own group, if the system lets us: its
    /// version 2 must be mounted, and the group be ours (delegated, as by `systemd-run --user
    /// --scope -p Delegate=yes`).
    pub fn new(name: &str) -> Option<Self> {
        let own = own(
            &fs::read_to_string("/proc/self/cgroup").ok()?,
            &fs::read_to_string("/proc/self/mountinfo").ok()?,
        )?;
        Self::below(&own, name).ok()
    }

    /// Returns the same below any group.
    fn below(own: &Path, name: &str) -> io::Result<Self> {
        let directory = own.join(name);
        fs::create_dir(&directory)?;
        let mut groups = Self { directory, limits: false };
        // A group with processes of its own cannot pass controllers on (unless it is the topmost):
        // then our groups only help to kill.
        let below = has_controllers(&own.join("cgroup.subtree_control"))
            || fs::write(own.join("cgroup.subtree_control"), CONTROLLERS).is_ok();
        let passed_on = groups.directory.join("cgroup.subtree_control");
        groups.limits = below && fs::write(passed_on, CONTROLLERS).is_ok();
        // An old kernel cannot kill groups, and may lie about the rest.
        groups
            .fresh(0)
            .ok()
            .filter(|probe| probe.kill().is_ok())
            .ok_or(io::ErrorKind::Unsupported)?;
        Ok(groups)
    }

    /// Kills what a dead run left in its groups of this name, and removes them.
    pub fn remove_abandoned(name: &str) {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let own = own(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"));
        let Some(directory) = own.map(|own| own.join(name)).filter(|path| path.is_dir()) else {
            return;
        };
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                drop(Group { directory: entry.path() });
            }
        }
        drop(Self { directory, limits: false });
    }

    /// Returns whether memory and processes are limited.
    pub fn are_limiting(&self) -> bool {
        self.limits
    }

    /// Returns where the groups are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes an empty group.
    pub fn fresh(&self, number: u64) -> io::Result<Group> {
        let directory = self.directory.join(number.to_string());
        fs::create_dir(&directory)?;
        Ok(Group { directory })
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        // Where it is no real one (in tests), files are in the way.
        let _ = fs::remove_dir(&self.directory);
    }
}

impl Group {
    /// Bytes of memory, swap included, that all processes together may have.
    pub fn limit_memory(&self, bytes: u64) -> io::Result<()> {
        fs::write(self.directory.join("memory.max"), bytes.to_string())?;
        // One that needs more is killed with all others, not left without a part of itself.
        fs::write(self.directory.join("memory.oom.group"), "1")?;
        // Without swap there is no such file.
        let _ = fs::write(self.directory.join("memory.swap.max"), "0");
        Ok(())
    }

    /// Returns how many processes and threads there may be.
    pub fn limit_processes(&self, number: u64) -> io::Result<()> {
        fs::write(self.directory.join("pids.max"), number.to_string())
    }

    /// Returns the file into which a process writes 0 to join.
    pub fn door(&self) -> PathBuf {
        self.directory.join("cgroup.procs")
    }

    /// Kills all processes in the group, also those that are just being made.
    fn kill(&self) -> io::Result<()> {
        fs::write(self.directory.join("cgroup.kill"), "1")
    }

    /// Returns whether processes were killed because they needed too much memory.
    pub fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.directory.join("memory.events")).unwrap_or_default();
        let count = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.is_some_and(|count| count.trim() != "0")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.kill();
        // The kernel takes a moment to let the last process go; what is not empty then is removed
        // when the processes of dead runs are looked for.
        for _ in 0..1000 {
            match fs::remove_dir(&self.directory) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    std::thread::yield_now()
                }
                _ => break,
            }
        }
    }
}

const CONTROLLERS: &str = "+memory +pids";

fn has_controllers(file: &Path) -> bool {
    let names = fs::read_to_string(file).unwrap_or_default();
    ["memory", "pids"].iter().all(|name| names.split_whitespace().any(|n| n == *name))
}

/// Returns the directory of the group of the process with this list of groups, where these file
/// systems are mounted.
fn own(groups: &str, mounts: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    // 25 20 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup rw
    let mount = mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut fields = place.split(' ').skip(3);
        let root = fields.next()?;
        let point = fields.next()?;
        kind.starts_with("cgroup2 ").then_some((root, point))
    })?;
    let below = Path::new(path).strip_prefix(mount.0).ok()?;
    Some(Path::new(mount.1).join(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "24 19 0:21 / /sys rw - sysfs sysfs rw\n\
        25 24 0:22 /user /sys/fs/cgroup rw,nosuid - cgroup2 cgroup rw\n";

    #[test]
    fn our_own_group_is_found() {
        let check = |groups: &str, expected: Option<&str>| {
            assert_eq!(own(groups, MOUNTS).as_deref(), expected.map(Path::new));
        };
        check("4:memory:/a\n0::/user/me/shell\n", Some("/sys/fs/cgroup/me/shell"));
        check("0::/user\n", Some("/sys/fs/cgroup"));
        check("0::/other\n", None);
        check("4:memory:/a\n", None);
        assert_eq!(own("0::/\n", "24 19 0:21 / /sys rw - sysfs sysfs rw\n"), None);
    }

    /// Returns a directory that looks as the kernel's would.
    fn pretend(controllers: &str) -> (tempfile::TempDir, Groups) {
        let own = tempfile::tempdir().unwrap();
        fs::write(own.path().join("cgroup.subtree_control"), controllers).unwrap();
        let groups = Groups::below(own.path(), "ours").unwrap();
        (own, groups)
    }

    #[test]
    fn limits_are_written_as_the_kernel_wants_them() {
        let (own, groups) = pretend("cpu memory pids\n");
        assert!(groups.limits);
        let passed_on = own.path().join("ours/cgroup.subtree_control");
        assert_eq!(fs::read_to_string(passed_on).unwrap(), "+memory +pids");
        let group = groups.fresh(7).unwrap();
        group.limit_memory(5 << 20).unwrap();
        group.limit_processes(30).unwrap();
        let read = |name: &str| fs::read_to_string(own.path().join("ours/7").join(name)).unwrap();
        assert_eq!([read("memory.max"), read("memory.oom.group")], ["5242880", "1"]);
        assert_eq!([read("memory.swap.max"), read("pids.max")], ["0", "30"]);
        assert_eq!(group.door(), own.path().join("ours/7/cgroup.procs"));
        assert!(!group.ran_out_of_memory());
        for (events, expected) in [("low 0\noom 1\noom_kill 0\n", false), ("oom_kill 2\n", true)] {
            fs::write(own.path().join("ours/7/memory.events"), events).unwrap();
            assert_eq!(group.ran_out_of_memory(), expected, "{events}");
        }
        group.kill().unwrap();
        assert_eq!(read("cgroup.kill"), "1");
    }

    #[test]
    fn without_a_directory_of_our_own_there_are_no_groups() {
        let own = tempfile::tempdir().unwrap();
        assert!(Groups::below(&own.path().join("none"), "ours").is_err());
        fs::create_dir(own.path().join("ours")).unwrap();
        assert!(Groups::below(own.path(), "ours").is_err(), "of another");
    }

    /// With the kernel's own files, where this process may write them.
    #[test]
    fn a_process_that_joined_is_killed_with_its_group() {
        use std::io::Read;
        use std::os::unix::process::ExitStatusExt;
        use std::process::{Command, Stdio};
        let name = format!("minirepro-run-test-{}", std::process::id());
        let Some(groups) = Groups::new(&name) else { return };
        let group = groups.fresh(1).unwrap();
        let script = "echo 0 > \"$0\" && echo in && exec sleep 1000";
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(script).arg(group.door()).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let mut said = [0; 2];
        child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        assert_eq!(&said, b"in");
        // As if this run had been killed: then the next one ends it.
        std::mem::forget(group);
        Groups::remove_abandoned(&name);
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert!(!groups.directory.exists(), "nothing stays");
    }
}
