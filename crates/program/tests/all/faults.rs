//! Every call of the system fails once, in runs of several kinds, with closures and with processes
//! as tests: whatever is lost, what is on disk is complete and reproduces, the cause is said, and
//! the next run leaves nothing behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use minirepro_program::archive::{Kind, pack};
use minirepro_program::{
    Error, Isolation, JournalPlace, Journaling, Reduction, Settings, TestSpec, sources,
};
use minirepro_runner::system::{Interceptor, Operation, intercepted};

/// Lets the n-th operation fail.
struct Failing {
    at: usize,
    seen: AtomicUsize,
}

/// What the errors say.
const CAUSES: [&str; 3] =
    ["No space left on device", "Resource temporarily unavailable", "Too many open files"];

impl Interceptor for Failing {
    fn before(&self, operation: &Operation<'_>) -> io::Result<()> {
        if self.seen.fetch_add(1, Ordering::SeqCst) != self.at {
            return Ok(());
        }
        let disk = 28;
        let processes = 11;
        let descriptors = 24;
        Err(io::Error::from_raw_os_error(match operation {
            Operation::SpawnProcess | Operation::SpawnThread => processes,
            Operation::OpenFile(_) | Operation::CreatePipe => descriptors,
            _ => disk,
        }))
    }
}

/// A kind of run.
struct RunKind {
    /// Runs with results in this directory.
    run: fn(&Path, bool) -> Result<(), Error>,
    /// Whether a result of this name is complete and shows what it should.
    is_right: fn(&Path) -> bool,
    /// The results.
    names: &'static [&'static str],
}

fn has_needle(text: &[u8]) -> bool {
    text.windows(6).any(|part| part == b"needle")
}

fn settings(overwrite: bool) -> Settings<'static> {
    let journaling = Journaling { journal: JournalPlace::BesideResult, ..Journaling::default() };
    Settings { journaling, overwrite, ..Settings::default() }
}

const FILE: RunKind = RunKind {
    run: |results, overwrite| {
        let request = Reduction {
            file: "a.txt".into(),
            output: Some(results.join("out.txt")),
            settings: settings(overwrite),
            ..Reduction::new("one\ntwo\nneedle\nthree\nfour\n")
        };
        request.language("lines").run(&has_needle).map(drop)
    },
    is_right: |path| has_needle(&fs::read(path).unwrap()),
    names: &["out.txt"],
};

/// Processes, pipes, scratch directories and files beside the candidate as well.
const SCRIPT: RunKind = RunKind {
    run: |results, overwrite| {
        let place = tempfile::tempdir().unwrap();
        let script = place.path().join("test.sh");
        fs::write(&script, "#!/bin/sh\n[ -f beside.txt ] && grep -q needle a.txt\n").unwrap();
        fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        let beside = place.path().join("beside.txt");
        fs::write(&beside, "").unwrap();
        let request = Reduction {
            file: "a.txt".into(),
            output: Some(results.join("out.txt")),
            settings: Settings { companions: vec![beside], ..settings(overwrite) },
            ..Reduction::new("needle\nhay\n")
        };
        request.language("lines").run(&TestSpec::script(script)).map(drop)
    },
    is_right: |path| has_needle(&fs::read(path).unwrap()),
    names: &["out.txt"],
};

const DIRECTORY: RunKind = RunKind {
    run: |results, overwrite| {
        let files: [(&str, &str); 3] =
            [("a/one", "needle\nhay\n"), ("a/two", "hay\n"), ("three", "hay\nhay\n")];
        let files = files.map(|(path, text)| (Kind::Plain, path.as_bytes(), text.as_bytes()));
        let request = Reduction {
            file: "project".into(),
            output: Some(results.join("out")),
            settings: settings(overwrite),
            files: Some(Vec::new()),
            ..Reduction::new(pack(files).unwrap())
        };
        request.run(&has_needle).map(drop)
    },
    // Files may have other names in the result.
    is_right: |path| has_needle(&sources::directory(path).unwrap()),
    names: &["out"],
};

const ISOLATION: RunKind = RunKind {
    run: |results, overwrite| {
        let request = Isolation {
            file: "a.txt".into(),
            output: Some(results.join("out.txt")),
            settings: settings(overwrite),
            language: Some("lines".into()),
            ..Isolation::new("one\ntwo\n", "one\nthree\nneedle\nfour\n")
        };
        request.run(&has_needle).map(drop)
    },
    is_right: |path| {
        let is_failing = path.file_name().unwrap() == "out.fail.txt";
        has_needle(&fs::read(path).unwrap()) == is_failing
    },
    names: &["out.fail.txt", "out.pass.txt"],
};

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs with a fault, and then without if the first run failed; returns whether there was a fault.
fn check(kind: &RunKind, at: usize) -> bool {
    let place = tempfile::tempdir().unwrap();
    let results = place.path();
    let failing = Arc::new(Failing { at, seen: AtomicUsize::new(0) });
    let interceptor: Arc<dyn Interceptor> = Arc::<Failing>::clone(&failing);
    let ended = intercepted(interceptor, || (kind.run)(results, false));
    let about = format!("fault {at}: {ended:?}");
    let all_right = || {
        let there = kind.names.iter().map(|name| results.join(name)).filter(|path| path.exists());
        let wrong: Vec<PathBuf> = there.filter(|path| !(kind.is_right)(path)).collect();
        assert_eq!(wrong, [""; 0].map(PathBuf::from), "{about}");
    };
    all_right();
    if let Err(error) = &ended {
        let message = error.to_string();
        assert!(CAUSES.iter().any(|cause| message.contains(cause)), "{message} ({about})");
    }
    // Also after a complete run, which may not have been able to remove something.
    (kind.run)(results, true).unwrap();
    all_right();
    assert_eq!(names(results), kind.names, "{about}");
    failing.seen.load(Ordering::SeqCst) > at
}

fn check_all(kind: &RunKind) {
    let from = |first: usize| (first..).step_by(2).take_while(|&at| check(kind, at)).count();
    // Most of the time is waiting for processes: every second fault in another thread.
    let faults = thread::scope(|scope| {
        let others = scope.spawn(|| from(1));
        from(0) + others.join().unwrap()
    });
    assert!(faults > 20, "{faults}");
}

#[test]
fn a_reduction_of_a_file_survives_every_fault() {
    check_all(&FILE);
}

#[test]
fn a_reduction_with_a_script_survives_every_fault() {
    check_all(&SCRIPT);
}

#[test]
fn a_reduction_of_a_directory_survives_every_fault() {
    check_all(&DIRECTORY);
}

#[test]
fn an_isolation_survives_every_fault() {
    check_all(&ISOLATION);
}
