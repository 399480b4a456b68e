//! Calls of the system fail from any one on: whatever is lost, the result on disk is not, the cause
//! is said, and the next run leaves nothing behind. That each fails once is tested in `program`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::{Files, INPUT, MINIMAL, reduce};
use minirepro_runner::system::{Interceptor, Operation, intercepted};

/// Lets the n-th operation fail, and all from there on.
struct Failing {
    at: usize,
    seen: AtomicUsize,
    roots: Mutex<Vec<PathBuf>>,
}

impl Failing {
    fn new(at: usize) -> Arc<Self> {
        Arc::new(Self { at, seen: AtomicUsize::new(0), roots: Mutex::default() })
    }

    fn has_failed(&self) -> bool {
        self.seen.load(Ordering::SeqCst) > self.at
    }
}

const DISK: &str = "No space left on device";
const PROCESSES: &str = "Resource temporarily unavailable";
const DESCRIPTORS: &str = "Too many open files";

impl Interceptor for Failing {
    fn before(&self, operation: &Operation<'_>) -> io::Result<()> {
        if let Operation::Rename { to, .. } = operation
            && to
                .file_name()
                .is_some_and(|name| name.to_string_lossy().contains("minirepro-scratch-"))
        {
            self.roots.lock().unwrap().push(to.to_path_buf());
        }
        if self.seen.fetch_add(1, Ordering::SeqCst) < self.at {
            return Ok(());
        }
        use rustix::io::Errno;
        Err(match operation {
            Operation::SpawnProcess | Operation::SpawnThread => Errno::AGAIN,
            Operation::OpenFile(_) | Operation::CreatePipe => Errno::MFILE,
            _ => Errno::NOSPC,
        }
        .into())
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs with faults and then without; returns whether there was one.
fn check(at: usize) -> bool {
    let files = Files::new();
    fs::create_dir(files.results()).unwrap();
    let failing = Failing::new(at);
    let interceptor: Arc<dyn Interceptor> = Arc::<Failing>::clone(&failing);
    let ended = intercepted(interceptor, || reduce(&files));
    let about = format!("faults from {at} on: {ended:?}");
    if let Err(message) = &ended {
        let says_why = [DISK, PROCESSES, DESCRIPTORS].iter().any(|why| message.contains(why));
        assert!(says_why, "{about}");
    }
    if let Ok(result) = fs::read(files.result()) {
        // Whole lines, and the failure is there.
        let mut lines = INPUT.split_inclusive(|&b| b == b'\n');
        let is_part =
            result.split_inclusive(|&b| b == b'\n').all(|l| lines.any(|other| l == other));
        assert!(is_part && result.windows(3).any(|w| w == b"two"), "{about}");
    }
    if ended.is_ok() {
        assert_eq!(fs::read(files.result()).unwrap(), MINIMAL, "{about}");
    }
    assert_eq!(fs::read(files.input()).unwrap(), INPUT, "{about}");
    assert_eq!(reduce(&files), Ok(()), "the run after {about}");
    assert_eq!(fs::read(files.result()).unwrap(), MINIMAL, "{about}");
    assert_eq!(names(&files.results()), ["out.txt"], "{about}");
    let left: Vec<_> =
        failing.roots.lock().unwrap().iter().filter(|root| root.exists()).cloned().collect();
    assert_eq!(left, [""; 0].map(PathBuf::from), "{about}");
    failing.has_failed()
}

/// Refuses new threads and processes, as a limit of processes does (`RLIMIT_NPROC`), after the
/// first few.
struct NoMoreProcesses {
    allowed: usize,
    asked: AtomicUsize,
}

impl Interceptor for NoMoreProcesses {
    fn before(&self, operation: &Operation<'_>) -> io::Result<()> {
        let counts = matches!(operation, Operation::SpawnProcess | Operation::SpawnThread);
        if counts && self.asked.fetch_add(1, Ordering::SeqCst) >= self.allowed {
            return Err(rustix::io::Errno::AGAIN.into());
        }
        Ok(())
    }
}

/// A real limit does not bind root, as whom tests often run.
#[test]
fn a_limit_of_processes_is_said_and_is_no_panic() {
    let mut refused = 0;
    for allowed in 0.. {
        let files = Files::new();
        fs::create_dir(files.results()).unwrap();
        let limit = Arc::new(NoMoreProcesses { allowed, asked: AtomicUsize::new(0) });
        let interceptor: Arc<dyn Interceptor> = Arc::<NoMoreProcesses>::clone(&limit);
        let ended = intercepted(interceptor, || reduce(&files));
        if limit.asked.load(Ordering::SeqCst) <= allowed {
            assert_eq!(ended, Ok(()));
            break;
        }
        refused += 1;
        match ended {
            Ok(()) => assert_eq!(fs::read(files.result()).unwrap(), MINIMAL),
            Err(message) => assert!(message.contains(PROCESSES), "{allowed}: {message}"),
        }
    }
    assert!(refused > 4, "{refused}");
}

/// One test, since a process that another thread is just starting would hold the locks of the first
/// run for a moment longer.
#[test]
fn whatever_calls_fail_the_result_is_complete_and_the_next_run_leaves_nothing() {
    let faults = (0..).take_while(|&at| check(at)).count();
    assert!(faults > 50, "{faults}");
}
