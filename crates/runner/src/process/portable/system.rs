//! Single facts and calls of the system.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the watchdog runs when it has killed the process groups of a dead run: nothing.
pub(crate) const AFTERMATH: &str = "";

/// Lets two directories change places in one step, which not all systems can do.
///
/// # Errors
/// If it is called: no portable system offers this.
pub(crate) fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Counts the processes that the user has now.
pub(crate) fn processes_of_user() -> u64 {
    let user = rustix::process::geteuid().as_raw().to_string();
    let list = Command::new("ps").args(["-o", "pid=", "-U", &user]).stdin(Stdio::null()).output();
    // Who has no `ps` gets a limit that may be too low, and is told so by the first test.
    list.map_or(0, |list| list.stdout.iter().filter(|&&byte| byte == b'\n').count() as u64)
}
