//! The processes of the tests that run now: all are started here, and all that descends from a test
//! is ended here.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use process_wrap::std::{CommandWrap, CommandWrapper, ProcessSession};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getrlimit, kill_process_group, setrlimit,
    waitid,
};

use crate::process::platform::{self, AFTERMATH, Orphans};
use crate::system::{files, resources};

/// Rounds of killing before a test that forks faster than we kill is left to the end of the run.
const ROUNDS: usize = 1000;

/// The processes of the tests of a run, or of its proposer.
#[derive(Debug)]
pub(crate) struct Descendants {
    kind: Kind,
    orphans: Orphans,
    watchdog: Watchdog,
    run: String,
}

/// Says why a test could not be started.
pub(crate) enum StartError {
    /// Its files could not be written.
    Files(io::Error),
    /// Its program could not be run.
    Spawn(io::Error),
}

impl Descendants {
    /// Prepares for the tests of the run whose directory is `root`. This process becomes the parent
    /// of orphans where the system knows such a thing, and does not dump core any more. Should it
    /// be killed, a watchdog ends the tests that run then. `kind` tells whether the processes are
    /// tests at all.
    ///
    /// # Errors
    /// If the system refuses, or can start no process.
    pub fn new(root: &Path, kind: Kind) -> io::Result<Self> {
        let orphans = Orphans::adopt()?;
        // A limit of one byte (not zero) also keeps the kernel from starting a dump program.
        let old = getrlimit(Resource::Core);
        if old.current.is_none_or(|limit| limit > 1) {
            setrlimit(Resource::Core, Rlimit { current: Some(1), maximum: old.maximum })?;
        }
        let run = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let watchdog = Watchdog::new(&run, root)?;
        Ok(Self { kind, orphans, watchdog, run })
    }

    /// Starts a process that leads a group of its own, and says when.
    ///
    /// `files` writes what the process reads. It runs under the same lock, since a file that is
    /// open for writing in another thread while we fork could not be executed for a moment.
    pub fn start<T>(
        &self,
        files: impl FnOnce() -> io::Result<T>,
        command: impl FnOnce(T) -> Command,
    ) -> Result<(Child, Instant), StartError> {
        let mut children = lock();
        let input = files().map_err(StartError::Files)?;
        let mut command = command(input);
        // When this thread runs again, the process may have been at work for a while.
        let start = Instant::now();
        let child = children.start(&mut command, self.kind).map_err(StartError::Spawn)?;
        self.watchdog.watch(Pid::from_child(&child));
        Ok((child, start))
    }

    /// Kills whatever is left of the test that `child` leads and gives the processes back to the
    /// system, `child` included.
    pub fn reap_with_descendants(
        &self,
        mut child: Child,
        test: &Mark<'_>,
    ) -> io::Result<ExitStatus> {
        let leader = Pid::from_child(&child);
        // Until it is waited for, a dead leader keeps the number of its group from being reused.
        let _ = kill_process_group(leader, Signal::KILL);
        self.watchdog.release(leader);
        let status = reap(&mut child);
        Orphans::wait_for_group(leader);
        for _ in 0..ROUNDS {
            if !self.orphans.kill(&lock(), test) {
                break;
            }
        }
        status
    }
}

impl Drop for Descendants {
    fn drop(&mut self) {
        let prefix = format!("{}/", self.run);
        for _ in 0..ROUNDS {
            if !self.orphans.kill_all(&lock(), MARK, &prefix) {
                break;
            }
        }
    }
}

/// Kills what a dead run of this name left running.
pub(crate) fn kill_abandoned(run: &str) {
    platform::kill_abandoned(MARK, &format!("{run}/"));
}

/// The variable that marks every process of a test, unless it wipes its environment. Its value is
/// the run's name, a slash, and the name of the test's directory.
pub(crate) const MARK: &str = "MINIREPRO_TEST";

/// What the processes of one test have in common.
#[cfg_attr(
    any(not(target_os = "linux"), feature = "portable"),
    expect(dead_code, reason = "only Linux tells whose a process is")
)]
pub(crate) struct Mark<'a> {
    /// The value of [`MARK`] in their environment.
    pub value: &'a str,
    /// They work in here.
    pub directory: &'a Path,
}

static CHILDREN: Mutex<Children> = Mutex::new(Children(Vec::new()));

/// The children that were started here and have not been waited for.
#[derive(Debug)]
pub(crate) struct Children(Vec<(Pid, Kind)>);

/// The purpose of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It runs a test, and is gone soon.
    Test,
    /// It may live as long as the run: a watchdog, a worker, a proposer.
    Helper,
}

/// Returns the children; until it is dropped, none is started or forgotten.
pub(crate) fn lock() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a helper.
///
/// # Errors
/// If the system refuses.
pub(crate) fn start_helper(command: &mut Command) -> io::Result<Child> {
    lock().start(command, Kind::Helper)
}

/// Waits for the end of a child and gives it back to the system.
///
/// # Errors
/// If the system refuses to wait.
pub(crate) fn reap(child: &mut Child) -> io::Result<ExitStatus> {
    let pid = Pid::from_child(child);
    // Its number cannot mean another child before the list has forgotten it.
    let is_over = || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    while is_over().is_err_and(|error| error == rustix::io::Errno::INTR) {}
    let mut children = lock();
    let status = child.wait();
    children.0.retain(|(known, _)| *known != pid);
    status
}

impl Children {
    /// Starts a child that leads a group of its own, which no signal to ours reaches.
    ///
    /// If we have a terminal, it leads a session as well: the kernel stops whoever reads from a
    /// terminal or changes it from the background, for ever, and nobody would get to know. Without
    /// one that is spared, since the system starts processes faster that only get a group.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(&mut self, command: &mut Command, kind: Kind) -> io::Result<Child> {
        if File::open("/dev/tty").is_ok() {
            let context = CommandWrap::from(Command::new(""));
            ProcessSession.pre_spawn(command, &context)?;
        } else {
            command.process_group(0);
        }
        let child = resources::spawn(command)?;
        self.0.push((Pid::from_child(&child), kind));
        Ok(child)
    }

    /// Returns whether this process was started here.
    #[cfg_attr(
        any(not(target_os = "linux"), feature = "portable"),
        expect(dead_code, reason = "orphans are not found there")
    )]
    pub fn have(&self, pid: Pid) -> bool {
        self.0.iter().any(|(known, _)| *known == pid)
    }

    /// Returns whether a test is running.
    #[cfg_attr(
        any(not(target_os = "linux"), feature = "portable"),
        expect(dead_code, reason = "orphans are not found there")
    )]
    pub fn have_test(&self) -> bool {
        self.0.iter().any(|(_, kind)| *kind == Kind::Test)
    }
}

/// Reads orders, and acts on the end of the pipe unless it was dismissed.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
run=$1 root=$2 mark=$3
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
"#;

/// A process that ends our tests when we die.
#[derive(Debug)]
pub(crate) struct Watchdog {
    process: Child,
    orders: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts one for the run of this name, whose directory is `root`.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn new(run: &str, root: &Path) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("{SCRIPT}{AFTERMATH}")).arg("minirepro-watchdog");
        command.arg(run).arg(root).arg(MARK);
        // Nothing that a user sets for the test concerns it.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env(MARK, format!("watchdog-of-{run}"));
        command.current_dir("/");
        let null = files::null()?;
        command.stdin(Stdio::piped()).stdout(null.try_clone()?).stderr(null);
        let mut process = start_helper(&mut command)?;
        let orders = process.stdin.take();
        Ok(Self { process, orders })
    }

    /// Lets it end this process group if we die.
    pub fn watch(&self, leader: Pid) {
        self.order(&format!("watch {}\n", leader.as_raw_pid()));
    }

    /// Lets it forget this process group, whose number may soon mean another.
    pub fn release(&self, leader: Pid) {
        self.order(&format!("release {}\n", leader.as_raw_pid()));
    }

    fn order(&self, text: &str) {
        if let Some(mut orders) = self.orders.as_ref() {
            // If somebody has killed it, tests run without.
            let _ = orders.write_all(text.as_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.order("dismiss\n");
        self.orders = None;
        let _ = reap(&mut self.process);
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
        let start = || Watchdog::new("minirepro-run-none", Path::new("/nowhere"));
        let error = intercepted(Arc::new(NoDevice), start).unwrap_err();
        assert_eq!(error.to_string(), "/dev/null: entity not found");
    }

    #[test]
    fn when_we_are_killed_the_tests_that_run_are_ended() {
        let start = || Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        let mut watched = start();
        let mut released = start();
        let mut dog = Watchdog::new("minirepro-run-none", Path::new("/nowhere")).unwrap();
        dog.watch(Pid::from_child(&watched));
        dog.watch(Pid::from_child(&released));
        dog.release(Pid::from_child(&released));
        // The system closes our end of the pipe.
        dog.orders = None;
        reap(&mut dog.process).unwrap();
        assert_eq!(watched.wait().unwrap().signal(), Some(9));
        assert!(released.try_wait().unwrap().is_none(), "no longer watched");
        released.kill().unwrap();
        released.wait().unwrap();
    }
}
