//! What decides a run, by name: with equal facts, an interrupted run can go on, and answers of
//! earlier runs hold. Reads files to know them, runs nothing.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use minirepro_engine::{Plan, Scope};
use minirepro_runner::{Digest, Facts, Limits, Patience};

use crate::oracle::UserTest;
use crate::plan::{Reduction, Subject, Test};

/// What decides the answers of the test, the candidate apart.
pub fn of_test(subject: &Subject<'_>, patience: Patience, test: &UserTest) -> Facts {
    let mut facts = of_limits(&subject.limits, patience);
    let mut add = |name: &str, value: String| facts.insert(name.to_owned(), value);
    add("name", format!("{:?}", subject.file.file_name().unwrap_or_default()));
    match subject.test {
        Test::Script(script) => {
            let text = fs::read(script).unwrap_or_default();
            add("the test script", Digest::of(&text).as_str().to_owned());
            add("a program of the test", programs(words(&text)));
        }
        Test::Program { words, frames, signature, guards } => {
            add("the program", format!("{words:?}"));
            add("--frames", frames.to_string());
            add("--guard", format!("{guards:?}"));
            let learnt = test.signature.as_deref().map(str::to_owned);
            add("the failure", learnt.unwrap_or_else(|| format!("{signature:?}")));
            let guards = guards.iter().flat_map(|guard| self::words(guard.as_bytes()));
            add(
                "a program of the test",
                programs(words.iter().map(|word| word.as_bytes()).chain(guards)),
            );
        }
    }
    facts
}

/// What a test may use, and how often a candidate is tested.
pub fn of_limits(limits: &Limits, patience: Patience) -> Facts {
    // The time is told by `--timeout`.
    let Limits { time: _, cpu, memory, file, output, processes } = limits;
    let facts = [
        ("--cpu", format!("{cpu:?}")),
        ("--processes", format!("{processes:?}")),
        ("--memory", format!("{memory:?}")),
        ("--output-size", output.to_string()),
        ("--file-size", format!("{file:?}")),
        ("--repeat or --min-rate", format!("{patience:?}")),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Facts that are options as they were typed, apart from those that decide nothing, and the end that
/// passes, if there is one.
pub fn of_options(typed: &impl Debug, passing: Option<&[u8]>) -> Facts {
    let mut facts = Facts::from([("the options".to_owned(), format!("{typed:?}"))]);
    if let Some(passing) = passing {
        facts.insert("the passing end".to_owned(), Digest::of(passing).as_str().to_owned());
    }
    facts
}

/// What else decides the run.
pub fn of_plan(reduction: &Reduction) -> Facts {
    // Named one by one, so that whoever adds a field has to say whether it decides.
    let Reduction { plan, timeout, format, .. } = reduction;
    let Plan { language, algorithm, scope, input: _, jobs: _, budget: _ } = plan;
    let Scope { allow_broken, thorough, granularity, without, kept } = scope;
    let without: Vec<_> = without.iter().map(|pass| pass.name).collect();
    let Reduction {
        // What decides the answers is elsewhere.
        test: _,
        file: _,
        limits: _,
        patience: _,
        plan: _,
        timeout: _,
        format: _,
        // These only say where things go.
        target: _,
        keep: _,
        stats: _,
        talk: _,
    } = reduction;
    let facts = [
        ("--lang", language.name.clone()),
        ("--algorithm", algorithm.name().to_owned()),
        ("--allow-broken", allow_broken.to_string()),
        ("--thorough", thorough.to_string()),
        ("--granularity", granularity.to_string()),
        ("--without", without.join(",")),
        ("--keep", format!("{kept:?}")),
        ("--format", format!("{format:?}").to_lowercase()),
        ("--timeout", format!("{timeout:?}")),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Which programs the words name: where they are, their sizes and when they were changed. What a
/// program calls or reads is not seen.
fn programs<'a>(words: impl Iterator<Item = &'a [u8]>) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut found: Vec<String> = words
        .filter_map(|word| identity(&program(OsStr::from_bytes(word), &directories)?))
        .collect();
    found.sort();
    found.dedup();
    found.join("; ")
}

/// The files that the words name, programs among them, as [`programs`] tells them.
pub fn files<'a>(words: impl Iterator<Item = &'a OsStr>) -> String {
    let words: Vec<&OsStr> = words.collect();
    let files = words.iter().filter(|word| Path::new(word).is_file());
    let files = files.filter_map(|word| identity(Path::new(word)));
    let programs = programs(words.iter().map(|word| word.as_bytes()));
    files.chain([programs]).collect::<Vec<_>>().join("; ")
}

fn program(word: &OsStr, directories: &[PathBuf]) -> Option<PathBuf> {
    let is_program = |path: &Path| {
        fs::metadata(path)
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if word.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(word)).filter(|path| is_program(path));
    }
    directories.iter().map(|directory| directory.join(word)).find(|path| is_program(path))
}

fn identity(path: &Path) -> Option<String> {
    let path = fs::canonicalize(path).ok()?;
    let data = fs::metadata(&path).ok()?;
    let (size, seconds, nanos) = (data.len(), data.mtime(), data.mtime_nsec());
    Some(format!("{} ({size} bytes, {seconds}.{nanos:09})", path.display()))
}

/// The words of a script, as far as they can be told without understanding it.
fn words(script: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+@%,:~".contains(b) || *b >= 0x80;
    script.split(move |b| !is_part(b)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_a_script_are_found_and_known_again() {
        let place = tempfile::tempdir().unwrap();
        let tool = place.path().join("tool");
        fs::write(&tool, "1").unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o700)).unwrap();
        let script = format!("#!/bin/sh\nx=$(LANG=C {} -c \"$1\"|no-such-tool)", tool.display());
        let facts = || programs(words(script.as_bytes()));
        let before = facts();
        assert_eq!(before.split("; ").count(), 2, "{before}");
        assert_eq!(facts(), before);
        fs::write(&tool, "12").unwrap();
        assert_ne!(facts(), before);
    }
}
