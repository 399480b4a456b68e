//! The command line as a user sees it: every file in `transcripts/` is run and compared.
//!
//! A transcript begins with a description. `==== NAME` begins a file, `====` alone the commands.
//! `$ COMMAND` is run by the shell; what it writes, and `[exit N]` if that is not 0, must follow.
//! `…` stands for anything within a line, a line that is `...` for any lines. `minirepro` is in the
//! path; files that begin with `#!` are executable; `$TOP` is the directory of the case.
//!
//! After the last command no process and no file in `$TMPDIR` may be left.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn transcripts_are_true() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    let wanted = std::env::var("TRANSCRIPT").unwrap_or_default();
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().contains(&wanted));
    paths.sort();
    // Most of the time of a transcript is waiting for processes.
    let failures: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = paths.iter().map(|path| scope.spawn(|| check(path))).collect();
        running.into_iter().filter_map(|thread| thread.join().unwrap().err()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(path: &Path) -> Result<(), String> {
    let name = path.file_name().unwrap().to_str().unwrap();
    let script = fs::read_to_string(path).unwrap();
    let place = tempfile::Builder::new().prefix("transcript-").tempdir().unwrap();
    // `/proc` shows paths without links.
    let top = fs::canonicalize(place.path()).unwrap();
    ["work", "tmp"].iter().for_each(|part| fs::create_dir(top.join(part)).unwrap());
    for (command, expected) in parse(&script, &top.join("work")) {
        let shown = run(&top, &command);
        if !matches(&expected, &shown.lines().collect::<Vec<_>>()) {
            let expected = expected.join("\n");
            return Err(format!("{name}: $ {command}\n--- wrote\n{shown}\n--- not\n{expected}\n"));
        }
    }
    let files: Vec<_> =
        fs::read_dir(top.join("tmp")).unwrap().map(|e| e.unwrap().file_name()).collect();
    let left = processes_in(&top);
    if files.is_empty() && left.is_empty() {
        Ok(())
    } else {
        Err(format!("{name}: left behind: files {files:?}, processes {left:?}"))
    }
}

/// Writes the files; gives the commands with the lines that must follow.
fn parse<'a>(script: &'a str, work: &Path) -> Vec<(String, Vec<&'a str>)> {
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    let mut file: Option<(&str, String)> = None;
    let mut begun = false;
    for line in script.lines() {
        if let Some(name) = line.strip_prefix("====") {
            file.take().into_iter().for_each(|file| put(work, file));
            begun = true;
            file = (!name.is_empty()).then(|| (name.trim(), String::new()));
        } else if let Some((_, text)) = &mut file {
            text.push_str(line);
            text.push('\n');
        } else if let Some(command) = line.strip_prefix("$ ") {
            commands.push((command.to_owned(), Vec::new()));
        } else if let Some((_, expected)) = commands.last_mut() {
            expected.push(line);
        } else {
            assert!(!begun, "not a command: {line}");
        }
    }
    commands
}

fn put(work: &Path, (name, text): (&str, String)) {
    fs::write(work.join(name), &text).unwrap();
    let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
    fs::set_permissions(work.join(name), fs::Permissions::from_mode(mode)).unwrap();
}

fn run(top: &Path, command: &str) -> String {
    let binaries = Path::new(env!("CARGO_BIN_EXE_minirepro")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    // A file, not a pipe: a process that is left behind must not keep us waiting for its end.
    let log = top.join("log");
    let output = fs::File::create(&log).unwrap();
    let status = Command::new("sh")
        .args(["-c", command])
        .current_dir(top.join("work"))
        .env("PATH", path)
        .env("TOP", top)
        .env("TMPDIR", top.join("tmp"))
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output)
        .status()
        .unwrap();
    let text = fs::read(&log).unwrap();
    let mut text = String::from_utf8_lossy(&text).replace(top.to_str().unwrap(), "$TOP");
    if !status.success() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("[exit {code}]\n"),
            (None, signal) => format!("[signal {}]\n", signal.unwrap()),
        };
        text.push_str(&how);
    }
    text
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

/// Living processes with the case's directory in their environment.
fn processes_in(top: &Path) -> Vec<String> {
    let mark = format!("TOP={}", top.display());
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let process = entry.unwrap().path();
        let environment = fs::read(process.join("environ")).ok()?;
        let marked = environment.split(|&b| b == 0).any(|entry| entry == mark.as_bytes());
        marked.then(|| fs::read_to_string(process.join("comm")).unwrap_or_default())
    });
    processes.collect()
}
