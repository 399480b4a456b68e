//! What a test may use. Knows how to tell the kernel, not what the test is.

use std::process::Command;
use std::time::Duration;

/// What one test may use. Memory and file sizes hold for each of its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its end.
    pub time: Duration,
    /// Bytes of address space; programs built with AddressSanitizer need terabytes of it.
    pub memory: Option<u64>,
    /// Bytes of one file. A process that writes more is killed (`SIGXFSZ`).
    pub file: Option<u64>,
}

impl Limits {
    /// Only the time is limited.
    pub fn new(time: Duration) -> Self {
        Self { time, memory: None, file: None }
    }

    /// The same command with these limits on memory and files.
    ///
    /// A shell sets them and becomes the command. To set them from outside, when the command
    /// already runs, would be too late for what it starts at once.
    pub(crate) fn wrap(&self, command: Command) -> Command {
        let memory = self.memory.map(|bytes| format!("ulimit -v {};", bytes / 1024));
        // The shell counts in blocks of 512 bytes (POSIX).
        let file = self.file.map(|bytes| format!("ulimit -f {};", bytes / 512));
        if memory.is_none() && file.is_none() {
            return command;
        }
        let script = [memory, file].into_iter().flatten().collect::<String>() + " exec \"$@\"";
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(script).arg("sh").arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell
    }
}
