//! Single facts and calls of the system.

use std::io;
use std::path::Path;

/// What the watchdog runs when it has killed the process groups of a dead run: nothing.
pub(crate) const AFTERMATH: &str = "";

/// Lets two directories change places in one step, which not all systems can do.
///
/// # Errors
/// If it is called: no portable system offers this.
pub(crate) fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
