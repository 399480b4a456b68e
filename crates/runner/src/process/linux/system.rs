//! Single facts and calls of the system.

use std::io;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// What the watchdog runs, as a shell script, when it has killed the process groups of a dead run:
/// whatever has the mark of the run's tests or works in its directory is killed. `$run` is the
/// run's name, `$root` its directory, `$mark` the variable that marks tests.
pub(crate) const AFTERMATH: &str = r#"
# The numbers of a /proc of another namespace mean other processes to us.
read -r own rest < /proc/self/stat && [ "$own" = $$ ] || exit
round=0
while [ $round -lt 20 ]; do
    left="$(grep -ls "$mark=$run/" /proc/[0-9]*/environ | cut -d / -f 3)
$(ls -ld /proc/[0-9]*/cwd | grep -F -e "/cwd -> $root/" | sed 's|.*/proc/\([0-9]*\)/cwd -> .*|\1|')"
    kill -s KILL $left || break
    round=$((round + 1))
done
"#;

/// Lets two directories change places in one step.
///
/// # Errors
/// If the file system cannot do that.
pub(crate) fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}
