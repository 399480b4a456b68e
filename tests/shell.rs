//! Runs commands in a directory of their own and compares their output with the expected lines.
//! Serves the transcripts and the guide.
//!
//! In expected output `…` stands for anything within a line, and a line `...` for any number of
//! lines.
//! `[exit N]` or `[signal N]` follows the output of a command that does not end with 0.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A fresh directory with `work`, where commands run, and `tmp`, their `$TMPDIR`. Programs in
/// `work/bin` are in the path.
pub struct Shell {
    _directory: tempfile::TempDir,
    top: PathBuf,
    /// Further variables.
    pub variables: Vec<(&'static str, PathBuf)>,
}

impl Shell {
    /// Creates the directories.
    pub fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("transcript-").tempdir().unwrap();
        // `/proc` shows paths without links.
        let top = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir(top.join("work")).unwrap();
        fs::create_dir(top.join("tmp")).unwrap();
        Self { _directory: directory, top, variables: Vec::new() }
    }

    /// Writes a file that commands will find; it is executable if it begins with `#!`.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.top.join("work").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Runs a command and compares everything that it writes with `expected`.
    ///
    /// # Errors
    /// If they differ.
    pub fn check(&self, command: &str, expected: &[&str]) -> Result<(), String> {
        let shown = self.run(command);
        let lines: Vec<&str> = shown.lines().collect();
        // A busy machine lets a run last so long that it tells how far it has come.
        let results = lines.iter().copied().filter(|line| !is_progress(line)).collect::<Vec<_>>();
        if matches(expected, &lines) || matches(expected, &results) {
            return Ok(());
        }
        let expected = expected.join("\n");
        Err(format!("$ {command}\n--- wrote\n{shown}\n--- not\n{expected}\n"))
    }

    /// Makes sure that the commands have left no process and no file in `$TMPDIR`.
    ///
    /// # Errors
    /// If there is one.
    pub fn check_nothing_is_left(&self) -> Result<(), String> {
        let left = fs::read_dir(self.top.join("tmp")).unwrap();
        let files: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        let processes = self.processes();
        if files.is_empty() && processes.is_empty() {
            Ok(())
        } else {
            Err(format!("left behind: files {files:?}, processes {processes:?}"))
        }
    }

    fn run(&self, command: &str) -> String {
        let binaries = Path::new(env!("CARGO_BIN_EXE_minirepro")).parent().unwrap();
        let own = self.top.join("work/bin");
        let system = std::env::var("PATH").unwrap();
        let path = format!("{}:{}:{system}", binaries.display(), own.display());
        // A file, not a pipe: a process that is left behind must not keep us waiting for its end.
        let log = self.top.join("log");
        let output = fs::File::create(&log).unwrap();
        let status = Command::new("sh")
            .args(["-c", command])
            .current_dir(self.top.join("work"))
            .env("PATH", path)
            .env("TOP", &self.top)
            // What tests say must not depend on the machine.
            .env("MINIREPRO_JOBS", "1")
            .env("TMPDIR", self.top.join("tmp"))
            .env("XDG_CACHE_HOME", self.top.join("cache"))
            .envs(self.variables.iter().cloned())
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .status()
            .unwrap();
        let text = fs::read(&log).unwrap();
        let mut text = String::from_utf8_lossy(&text).replace(self.top.to_str().unwrap(), "$TOP");
        if !status.success() {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            match status.code() {
                Some(code) => text.push_str(&format!("[exit {code}]\n")),
                None => text.push_str(&format!("[signal {}]\n", status.signal().unwrap())),
            }
        }
        text
    }

    /// Returns the names of living processes that have this directory in their environment.
    fn processes(&self) -> Vec<String> {
        let mark = format!("TOP={}", self.top.display());
        let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let process = entry.unwrap().path();
            let environment = fs::read(process.join("environ")).ok()?;
            let marked = environment.split(|&b| b == 0).any(|entry| entry == mark.as_bytes());
            marked.then(|| fs::read_to_string(process.join("comm")).unwrap_or_default())
        });
        processes.collect()
    }
}

/// Runs `check` for all paths at the same time, since most of their time is waiting for processes,
/// and fails with the messages of those that fail.
pub fn check_all(paths: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let failures: Vec<String> = std::thread::scope(|scope| {
        let check = &check;
        let running: Vec<_> = paths.iter().map(|path| scope.spawn(move || check(path))).collect();
        running.into_iter().filter_map(|thread| thread.join().unwrap().err()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns the files of a directory in order of their names; those whose name contains one of the
/// words of `$TRANSCRIPT` (between commas), if this variable is set.
pub fn files_in(directory: &Path) -> Vec<PathBuf> {
    let wanted = std::env::var("TRANSCRIPT").unwrap_or_default();
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        wanted.split(',').any(|word| name.contains(word))
    });
    paths.sort();
    paths
}

/// Returns whether a line is one of those that runs write each second, like
/// `1.10 s 2 tokens (100 %), 7 bytes, 4 tests, lists`, or while something lasts, like
/// `5.00 s testing the unchanged input`.
fn is_progress(line: &str) -> bool {
    let mut words = line.splitn(3, ' ');
    let is_time = |word: Option<&str>| {
        word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    };
    is_time(words.next())
        && matches!(words.next(), Some("s" | "min" | "h"))
        && words.next().is_some_and(|rest| {
            rest.contains("unchanged input")
                || rest.starts_with("making a version")
                || rest.contains(" test") && rest.contains(" tokens (")
                || rest.contains(" test") && rest.contains("/s")
        })
}

fn matches(expected: &[&str], shown: &[&str]) -> bool {
    match expected {
        [] => shown.is_empty(),
        ["..."] => true,
        ["...", rest @ ..] => (0..=shown.len()).any(|skip| matches(rest, &shown[skip..])),
        [line, rest @ ..] => {
            shown.first().is_some_and(|s| line_matches(line, s)) && matches(rest, &shown[1..])
        }
    }
}

fn line_matches(expected: &str, shown: &str) -> bool {
    let Some((first, rest)) = expected.split_once('…') else { return expected == shown };
    let Some(behind) = shown.strip_prefix(first) else { return false };
    behind
        .char_indices()
        .map(|(at, _)| at)
        .chain([behind.len()])
        .any(|at| line_matches(rest, &behind[at..]))
}
