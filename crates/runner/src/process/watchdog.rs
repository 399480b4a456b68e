//! A small process that outlives us by a moment: if we are killed without a chance to clean up, it
//! ends the tests that were running.
//!
//! It is a shell that reads from a pipe which processes to watch. The pipe's other end is closed by
//! the system when we die, in whatever way.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::Pid;

use crate::process::children;
use crate::process::descendants::MARK;
use crate::system::files;

/// Reads orders, and acts on the end of the pipe unless it was dismissed: it kills the process
/// groups of tests, and then whatever is marked with a directory of the run or works there.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
root=$1 mark=$2
watched=' '
while read -r order leader; do
    case $order in
    watch) watched="$watched$leader " ;;
    release) watched="${watched%% $leader *} ${watched#* $leader }" ;;
    dismiss) exit ;;
    esac
done
for leader in $watched; do
    kill -s KILL -- "-$leader"
done
# The numbers of a /proc of another namespace mean other processes to us.
read -r own rest < /proc/self/stat && [ "$own" = $$ ] || exit
round=0
while [ $round -lt 20 ]; do
    left="$(grep -lsF -e "$mark=$root/" /proc/[0-9]*/environ | cut -d / -f 3)
$(ls -ld /proc/[0-9]*/cwd | grep -F -e "/cwd -> $root/" | sed 's|.*/proc/\([0-9]*\)/cwd -> .*|\1|')"
    kill -s KILL $left || break
    round=$((round + 1))
done
"#;

/// A process that ends our tests when we die.
#[derive(Debug)]
pub(crate) struct Watchdog {
    process: Child,
    orders: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts one for the run whose directory is `root`.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn new(root: &Path) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "minirepro-watchdog"]).arg(root).arg(MARK);
        // Nothing that a user sets for the test concerns it.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env(MARK, "watchdog");
        command.current_dir("/");
        let null = files::null()?;
        command.stdin(Stdio::piped()).stdout(null.try_clone()?).stderr(null);
        let mut process = children::start_helper(&mut command)?;
        let orders = process.stdin.take();
        Ok(Self { process, orders })
    }

    /// Lets it end this process group if we die.
    pub fn watch(&self, leader: Pid) {
        self.order("watch", leader);
    }

    /// Lets it forget this process group, whose number may soon mean another.
    pub fn release(&self, leader: Pid) {
        self.order("release", leader);
    }

    fn order(&self, word: &str, leader: Pid) {
        // If somebody has killed it, tests run without.
        let order = format!("{word} {}\n", leader.as_raw_pid());
        let _ = self.orders.as_ref().map(|mut orders| orders.write_all(order.as_bytes()));
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let _ = self.orders.as_ref().map(|mut orders| orders.write_all(b"dismiss\n"));
        self.orders = None;
        let _ = children::reap(&mut self.process);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::sync::Arc;

    use super::*;
    use crate::system::{Interceptor, Operation, intercepted};

    #[test]
    fn without_a_null_device_the_error_names_it() {
        struct NoDevice;
        impl Interceptor for NoDevice {
            fn before(&self, operation: &Operation<'_>) -> io::Result<()> {
                match operation {
                    Operation::OpenFile(path) if path.starts_with("/dev") => {
                        Err(io::ErrorKind::NotFound.into())
                    }
                    _ => Ok(()),
                }
            }
        }
        let start = || Watchdog::new(Path::new("/nowhere"));
        let error = intercepted(Arc::new(NoDevice), start).unwrap_err();
        assert_eq!(error.to_string(), "/dev/null: entity not found");
    }

    #[test]
    fn when_we_are_killed_the_tests_that_run_are_ended() {
        let start = || Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        let mut watched = start();
        let mut released = start();
        let mut dog = Watchdog::new(Path::new("/nowhere")).unwrap();
        dog.watch(Pid::from_child(&watched));
        dog.watch(Pid::from_child(&released));
        dog.release(Pid::from_child(&released));
        // The system closes our end of the pipe.
        dog.orders = None;
        children::reap(&mut dog.process).unwrap();
        assert_eq!(watched.wait().unwrap().signal(), Some(9));
        assert!(released.try_wait().unwrap().is_none(), "no longer watched");
        released.kill().unwrap();
        released.wait().unwrap();
    }
}
