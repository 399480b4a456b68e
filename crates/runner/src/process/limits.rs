//! What a test may use, and how the kernel is told.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::process::platform::processes_of_user;

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
    /// How many processes and threads all tests together may have; the kernel does not bind the
    /// superuser. More cannot be started.
    pub processes: Option<u64>,
}

/// A test that writes more bytes to its standard output, or to its standard error, is ended: no test
/// needs to write so much for a person or for us.
pub const FLOOD: u64 = 100 << 20;

impl Limits {
    /// Returns a limit of the time alone.
    pub fn new(time: Duration) -> Self {
        Self { time, cpu: None, memory: None, processes: None }
    }

    /// Returns whether the kernel holds the limit of processes, which does not bind the superuser.
    pub fn bind_processes(&self) -> bool {
        self.processes.is_none() || !rustix::process::geteuid().is_root()
    }

    /// Returns the same command under these limits, except for the time.
    ///
    /// A shell sets them and becomes the command. To set them from outside, when the command
    /// already runs, would be too late for what it starts at once.
    pub(crate) fn wrap(&self, command: Command) -> Command {
        let cpu = self.cpu.map(|time| format!("ulimit -t {};", time.as_secs().max(1)));
        let memory = self.memory.map(|bytes| format!("ulimit -v {};", bytes / 1024));
        // The kernel counts all processes of the user; shells differ in what they call it.
        let processes = self.processes.map(|more| {
            let all = processes_of_user() + more;
            format!("ulimit -u {all} 2> /dev/null || ulimit -p {all};")
        });
        let limits: String = [cpu, memory, processes].into_iter().flatten().collect();
        if limits.is_empty() {
            return command;
        }
        let script = limits + " exec \"$@\"";
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(script).arg("sh").arg(command.get_program()).args(command.get_args());
        set_variables(&mut shell, command.get_envs());
        shell
    }
}

/// Sets variables of a command, or removes those without a value.
pub(crate) fn set_variables<'v>(
    command: &mut Command,
    variables: impl Iterator<Item = (&'v OsStr, Option<&'v OsStr>)>,
) {
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_finds_itself_limited() {
        let limits = Limits {
            cpu: Some(Duration::from_millis(7500)),
            memory: Some(5 << 30),
            processes: Some(1000),
            ..Limits::new(Duration::from_secs(1))
        };
        let mut shell = Command::new("/bin/sh");
        let ask = "ulimit -t; ulimit -v; ulimit -u 2> /dev/null || ulimit -p";
        shell.args(["-c", ask]);
        let shown = limits.wrap(shell).output().unwrap();
        let shown: Vec<u64> =
            str::from_utf8(&shown.stdout).unwrap().lines().map(|l| l.parse().unwrap()).collect();
        assert_eq!(shown[..2], [7, 5 << 20]);
        assert!(shown[2] > 1000, "the user has processes already");
    }
}
