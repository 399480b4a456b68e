//! Facts that decide a run, by name: with equal facts, an interrupted run can go on, and answers of
//! earlier runs hold. Reads files to tell them apart, runs nothing.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use minirepro_circumstances::archive::{Entry, entries};
use minirepro_engine::Scope;
use minirepro_runner::{
    Companion, Fingerprint, Limits, RetryPolicy, directories_of_programs, program,
};

use crate::grammars::Languages;

/// Returns the facts about what a test may use, and how often a candidate is tested.
pub fn of_limits(limits: &Limits, retry: RetryPolicy) -> Fingerprint {
    // The time is a fact of the run, not of its first tests.
    let Limits { time: _, memory } = limits;
    let facts = [("--memory", format!("{memory:?}")), ("--repeat", format!("{retry:?}"))];
    named(facts)
}

/// Returns facts under these names.
pub fn named<const N: usize>(facts: [(&str, String); N]) -> Fingerprint {
    facts.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Returns the fact about the grammars of these languages that are not part of the program; nothing
/// if all are.
pub fn of_grammars<'a>(
    languages: &Languages,
    names: impl IntoIterator<Item = &'a str>,
) -> Fingerprint {
    let names: BTreeSet<&str> = names.into_iter().collect();
    let known = |name: &&str| Some(format!("{name} {}", languages.fingerprint(name)?));
    let grammars: Vec<String> = names.iter().filter_map(known).collect();
    match grammars.is_empty() {
        true => Fingerprint::default(),
        false => named([("the grammar", grammars.join("; "))]),
    }
}

/// Returns the same fact about the languages of all files in these archives.
pub fn of_archives(languages: &Languages, archives: &[&[u8]]) -> Fingerprint {
    let files = archives.iter().flat_map(|archive| entries(archive));
    let language = |entry: Entry<'_>| {
        let path = String::from_utf8_lossy(entry.path);
        let name = path.rsplit('/').next().unwrap_or_default();
        languages.guess(name, entry.text)
    };
    let names: BTreeSet<String> = files.map(language).collect();
    of_grammars(languages, names.iter().map(String::as_str))
}

/// Returns the facts about which edits are tried.
pub fn of_scope(scope: &Scope) -> Fingerprint {
    // Named one by one, so that whoever adds a field has to say whether it decides. Syntax errors
    // are allowed by the library's users alone.
    let Scope { granularity, without, kept } = scope;
    let without: Vec<&str> = without.iter().map(String::as_str).collect();
    let facts = [
        ("--granularity", granularity.to_string()),
        ("--skip-pass", without.join(",")),
        ("--preserve", format!("{kept:?}")),
    ];
    named(facts)
}

/// Returns the fact about the files that tests find beside their candidate.
pub fn of_companions(companions: &[Companion]) -> Fingerprint {
    let mut open: Vec<PathBuf> = companions.iter().map(|c| c.source.clone()).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.extend(identity(&path)),
        }
    }
    files.sort();
    named([("the files beside the candidate", files.join("; "))])
}

/// Returns which programs the words name: where they are, their sizes and when they were changed.
/// Does not see what a program calls or reads.
pub fn of_programs<'a>(words: impl Iterator<Item = &'a [u8]>) -> String {
    let directories = directories_of_programs();
    let mut found: Vec<String> = words
        .filter_map(|word| identity(&program(OsStr::from_bytes(word), &directories)?))
        .collect();
    found.sort();
    found.dedup();
    found.join("; ")
}

/// Returns which files the words name, programs among them, as [`of_programs`] does.
pub fn of_files<'a>(words: impl Iterator<Item = &'a OsStr>) -> String {
    let words: Vec<&OsStr> = words.collect();
    let files = words.iter().filter(|word| Path::new(word).is_file());
    let files = files.filter_map(|word| identity(Path::new(word)));
    let programs = of_programs(words.iter().map(|word| word.as_bytes()));
    files.chain([programs]).collect::<Vec<_>>().join("; ")
}

fn identity(path: &Path) -> Option<String> {
    let path = fs::canonicalize(path).ok()?;
    let data = fs::metadata(&path).ok()?;
    let size = data.len();
    let seconds = data.mtime();
    let nanos = data.mtime_nsec();
    Some(format!("{} ({size} bytes, {seconds}.{nanos:09})", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use minirepro_runner::words_of_script;

    use super::*;

    #[test]
    fn programs_of_a_script_are_found_and_known_again() {
        let place = tempfile::tempdir().unwrap();
        let tool = place.path().join("tool");
        fs::write(&tool, "1").unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o700)).unwrap();
        let script = format!("#!/bin/sh\nx=$(LANG=C {} -c \"$1\"|no-such-tool)", tool.display());
        let facts = || of_programs(words_of_script(script.as_bytes()));
        let before = facts();
        assert_eq!(before.split("; ").count(), 2, "{before}");
        assert_eq!(facts(), before);
        fs::write(&tool, "12").unwrap();
        assert_ne!(facts(), before);
    }
}
