//! What a test may use, and how the kernel is told.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What one test may use. All but the time and the number of processes holds for each of its
/// processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From its start to its end.
    pub time: Duration,
    /// Time on a processor. A process that needs more is killed (`SIGXCPU`).
    pub cpu: Option<Duration>,
    /// Bytes of address space, of which programs built with AddressSanitizer need terabytes.
    pub memory: Option<u64>,
    /// Bytes of one file. A process that writes more is killed (`SIGXFSZ`).
    pub file: Option<u64>,
    /// Bytes of standard output, and of standard error. A test that writes more is ended.
    pub output: u64,
    /// How many processes and threads all tests together may have; the kernel does not bind the
    /// superuser. More cannot be started.
    pub processes: Option<u64>,
}

/// More bytes than any test needs to write for a person or for us.
const FLOOD: u64 = 100 << 20;

impl Limits {
    /// Returns limits of the time, and of what can only be a flood of output.
    pub fn new(time: Duration) -> Self {
        Self { time, cpu: None, memory: None, file: None, output: FLOOD, processes: None }
    }

    /// Says which of these limits the kernel will not hold.
    pub fn without_effect(&self) -> Option<&'static str> {
        let is_free = self.processes.is_some() && rustix::process::geteuid().is_root();
        is_free.then_some("the limit of processes does not bind the superuser: run as another user")
    }

    /// Returns the same command under these limits, except for the time.
    ///
    /// A shell sets them and becomes the command. To set them from outside, when the command
    /// already runs, would be too late for what it starts at once.
    pub(crate) fn wrap(&self, command: Command) -> Command {
        let cpu = self.cpu.map(|time| format!("ulimit -t {};", time.as_secs().max(1)));
        let memory = self.memory.map(|bytes| format!("ulimit -v {};", bytes / 1024));
        // The shell counts in blocks of 512 bytes (POSIX). With none, not even a shell could
        // redirect anything.
        let file = self.file.map(|bytes| format!("ulimit -f {};", bytes.div_ceil(512).max(1)));
        // The kernel counts all processes of the user; shells differ in what they call it.
        let processes = self.processes.map(|more| {
            let all = processes_of_user() + more;
            format!("ulimit -u {all} 2> /dev/null || ulimit -p {all};")
        });
        let limits: String = [cpu, memory, file, processes].into_iter().flatten().collect();
        if limits.is_empty() {
            return command;
        }
        let script = limits + " exec \"$@\"";
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(script).arg("sh").arg(command.get_program()).args(command.get_args());
        shell
    }
}

/// Counts the processes and threads that the user has now.
fn processes_of_user() -> u64 {
    let user = rustix::process::geteuid().as_raw();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.metadata().is_ok_and(|data| data.uid() == user));
    ours.filter_map(|entry| Some(fs::read_dir(entry.path().join("task")).ok()?.count() as u64))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_finds_itself_limited() {
        let limits = Limits {
            cpu: Some(Duration::from_millis(7500)),
            memory: Some(5 << 30),
            file: Some(3 << 20),
            processes: Some(1000),
            ..Limits::new(Duration::from_secs(1))
        };
        let mut shell = Command::new("/bin/sh");
        let ask = "ulimit -t; ulimit -v; ulimit -f; ulimit -u 2> /dev/null || ulimit -p";
        shell.args(["-c", ask]);
        let shown = limits.wrap(shell).output().unwrap();
        let shown: Vec<u64> =
            str::from_utf8(&shown.stdout).unwrap().lines().map(|l| l.parse().unwrap()).collect();
        assert_eq!(shown[..3], [7, 5 << 20, 3 << 11]);
        assert!(shown[3] > 1000, "the user has processes already");
    }
}
