//! What a test may use, and how the kernel is told.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What one test may use. All but the time holds for each of its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From its start to its end.
    pub time: Duration,
    /// Bytes of address space, of which programs built with AddressSanitizer need terabytes.
    pub memory: Option<u64>,
}

/// A test that writes more bytes to its standard output, or to its standard error, is ended: no test
/// needs to write so much for a person or for us.
pub const FLOOD: u64 = 100 << 20;

impl Limits {
    /// Returns a limit of the time alone.
    pub fn new(time: Duration) -> Self {
        Self { time, memory: None }
    }

    /// Returns the same command under these limits, except for the time.
    ///
    /// A shell sets them and becomes the command. To set them from outside, when the command
    /// already runs, would be too late for what it starts at once.
    pub(crate) fn wrap(&self, command: Command) -> Command {
        let Some(bytes) = self.memory else { return command };
        let script = format!("ulimit -v {}; exec \"$@\"", bytes / 1024);
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
        let limits = Limits { memory: Some(5 << 30), ..Limits::new(Duration::from_secs(1)) };
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "ulimit -v"]);
        let shown = limits.wrap(shell).output().unwrap().stdout;
        assert_eq!(str::from_utf8(&shown).unwrap().trim(), (5 << 20).to_string());
    }
}
