//! The command line as a user sees it: every file in `transcripts/` is run and compared.
//!
//! A transcript begins with a description. `==== NAME` begins a file, `====` alone the commands.
//! `$ COMMAND` is run by the shell; its output must follow, in the notation of `shell.rs`.
//! `$linux COMMAND` is run only if the program has everything that only Linux offers. `minirepro`
//! is in the path; `$TOP` is the directory of the case.
//!
//! After the last command no process and no file in `$TMPDIR` may be left.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod shell;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use shell::{Shell, check_all, files_in};

/// Whether the system offers what only Linux does.
const HAS_LINUX: bool = cfg!(target_os = "linux");

#[test]
fn transcripts_are_true() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    check_all(&files_in(&directory), check);
}

fn check(path: &Path) -> Result<(), String> {
    let script = fs::read_to_string(path).unwrap();
    let mut shell = Shell::new();
    if script.contains(GRAMMAR) {
        shell.variables.push((GRAMMAR, grammar_of_json()));
    }
    let run = || {
        for (command, expected) in parse(&script, &shell) {
            shell.check(&command, &expected)?;
        }
        shell.check_nothing_is_left()
    };
    run().map_err(|error| format!("{}: {error}", path.file_name().unwrap().display()))
}

/// The variable with the directory of the crate of JSON's grammar: a small grammar that is on every
/// machine on which this program was built.
const GRAMMAR: &str = "GRAMMAR_OF_JSON";

fn grammar_of_json() -> PathBuf {
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let versions = run(Command::new("rustc").arg("-vV"));
    // Packages of other platforms are not on this disk.
    let host = versions.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata = run(Command::new(std::env::var_os("CARGO").unwrap())
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR")));
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "tree-sitter-json").unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned()
}

/// Writes the files; returns the commands with the lines that must follow.
fn parse<'a>(script: &'a str, shell: &Shell) -> Vec<(String, Vec<&'a str>)> {
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    let mut file: Option<(&str, String)> = None;
    let mut begun = false;
    let mut skipped = false;
    for line in script.lines() {
        if let Some(name) = line.strip_prefix("====") {
            if let Some((name, text)) = file.take() {
                shell.write(name, &text);
            }
            begun = true;
            file = (!name.is_empty()).then(|| (name.trim(), String::new()));
        } else if let Some((_, text)) = &mut file {
            text.push_str(line);
            text.push('\n');
        } else if let Some(command) = line.strip_prefix("$ ").or(line.strip_prefix("$linux ")) {
            skipped = line.starts_with("$linux") && !HAS_LINUX;
            if !skipped {
                commands.push((command.to_owned(), Vec::new()));
            }
        } else if skipped {
            // This is the output of the skipped command.
        } else if let Some((_, expected)) = commands.last_mut() {
            expected.push(line);
        } else {
            assert!(!begun, "not a command: {line}");
        }
    }
    commands
}
