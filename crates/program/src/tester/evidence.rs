//! A test on one text, outside of any run: how it fails, and what a report shows of it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minirepro_engine::{Budget, Outcome};
use minirepro_runner::{
    CancelToken, Failure, Limits, Oracle, Printed, Program, ProgramTest, Signature, TestEnd,
    TestSpec,
};

use crate::error::Error;
use crate::grammars::Languages;
use crate::request::OptionSearch;
use crate::request::Settings;
use crate::sources::companions;
use crate::tester::program::{by_hand, ready, with_named};
use crate::words::chosen;

/// The most files that a test may add to a report.
const MOST_FILES: usize = 20;

/// Larger files of a test are left out.
const MOST_BYTES: u64 = 4 << 20;

/// How long the search for needless words may take.
const LONGEST_SEARCH: Duration = Duration::from_secs(30);

/// A text, and what its test needs.
#[derive(Clone, Copy, Debug)]
pub struct Exhibit<'a> {
    /// The path whose name candidates get; what stands beside it stands beside them.
    pub file: &'a Path,
    /// The text.
    pub text: &'a [u8],
    /// What the caller wants beside candidates.
    pub companions: &'a [PathBuf],
    /// The languages that there are.
    pub languages: &'a Languages,
    /// What a test may use.
    pub limits: Limits,
    /// A request to end.
    pub stop: &'a CancelToken,
}

/// What a test shows of a result.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// What it prints.
    pub printed: Printed,
    /// Files that it adds, by name.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Gets ready to run a test on a text, as a run does.
fn on(spec: &TestSpec, exhibit: &Exhibit<'_>) -> Result<ProgramTest, Error> {
    let Exhibit { file, text, languages, limits, stop, .. } = *exhibit;
    let mut test = ready(spec, file, limits)?;
    let added = companions::added(exhibit.companions, file);
    match &spec.program {
        Program::Script { .. } => test.provide(&added)?,
        Program::Command(_) => {
            let named = companions::named_by(languages, file, text, None, stop);
            test.provide(&with_named(added, &named))?;
        }
        Program::Line(_) => {}
    }
    Ok(test)
}

/// Runs the program of a test on a text and returns how it fails.
///
/// # Errors
/// If it cannot be run, or does not fail.
pub fn failure_on(spec: &TestSpec, exhibit: &Exhibit<'_>) -> Result<Signature, Error> {
    let spec = TestSpec { failure: Failure::Learn, ..spec.clone() };
    let mut test = on(&spec, exhibit)?;
    let file = Some(exhibit.file).filter(|_| !matches!(spec.program, Program::Line(_)));
    let reproduce = by_hand(&test, file);
    let learnt = test.learn_failure(exhibit.text, exhibit.stop);
    learnt.map_err(|error| Error::Command { error, reproduce })
}

/// Runs it once and returns how it ended, and its signature if it failed.
///
/// # Errors
/// If it cannot be run.
pub fn seen_on(
    spec: &TestSpec,
    exhibit: &Exhibit<'_>,
) -> Result<(TestEnd, Option<Signature>), Error> {
    let test = on(spec, exhibit)?;
    let seen = test.failure_of(exhibit.text, exhibit.stop);
    let reproduce = by_hand(&test, Some(exhibit.file));
    seen.map_err(|error| Error::Command { error: error.into(), reproduce })
}

/// Runs it on a result and returns what it shows.
///
/// # Errors
/// If it cannot be run.
pub fn evidence(spec: &TestSpec, exhibit: &Exhibit<'_>) -> Result<Evidence, Error> {
    let mut test = on(spec, exhibit)?;
    let directory = tempfile::tempdir().ok();
    let place = directory.as_ref().map(tempfile::TempDir::path);
    let printed = test.printed(exhibit.text, place, exhibit.stop);
    let printed = printed.map_err(|error| Error::TestBroken { error, reproduce: None })?;
    let mut files = Vec::new();
    let entries = place.and_then(|place| fs::read_dir(place).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let is_small_file = entry.file_type().is_ok_and(|kind| kind.is_file())
            && entry.metadata().is_ok_and(|data| data.len() <= MOST_BYTES);
        if let (true, Ok(text)) = (is_small_file, fs::read(entry.path())) {
            files.push((entry.file_name().to_string_lossy().into_owned(), text));
        }
    }
    files.sort();
    files.truncate(MOST_FILES);
    Ok(Evidence { printed, files })
}

/// Returns whether a program shows its failure on a result; it must be said already which one
/// counts.
pub fn fails_on(spec: &TestSpec, exhibit: &Exhibit<'_>) -> bool {
    let Exhibit { text, stop, .. } = *exhibit;
    let Ok(mut test) = on(spec, exhibit) else { return false };
    match &spec.failure {
        Failure::Learn => return false,
        Failure::Written(_) if test.learn_failure(text, stop).is_err() => return false,
        Failure::Written(_) if spec.guards.is_empty() => return true,
        _ => {}
    }
    test.test(text, stop).is_ok_and(|seen| seen.outcome == Outcome::Fail)
}

/// Returns the words of a command without the options, and their values, that the failure does not
/// need; `None` if it needs all. What is no option stays, since it may say what the program does.
pub fn without_needless_options(spec: &TestSpec, exhibit: &Exhibit<'_>) -> Option<Vec<OsString>> {
    let Program::Command(all) = &spec.program else { return None };
    let options = options(all, exhibit.file);
    let fails = |kept: &[usize]| {
        let is_kept = |at: &usize| {
            let mut of = (0..options.len()).filter(|&option| options[option].contains(at));
            of.next().is_none_or(|option| kept.contains(&option))
        };
        let words = (0..all.len()).filter(is_kept).map(|at| all[at].clone());
        let words: Vec<OsString> = words.collect();
        let line = TestSpec { program: Program::Command(words.clone()), ..spec.clone() };
        fails_on(&line, exhibit).then_some(words)
    };
    if options.is_empty() || exhibit.stop.is_set() {
        return None;
    }
    if let Some(words) = fails(&[]) {
        return Some(words);
    }
    let test = |candidate: &[u8]| match fails(&chosen(candidate)) {
        Some(_) => Outcome::Fail,
        None => Outcome::Pass,
    };
    let budget = Budget { max_time: Some(LONGEST_SEARCH), ..Budget::default() };
    let names = options.iter().map(|option| {
        let words = option.iter().map(|&at| all[at].to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    });
    let stop = Some(exhibit.stop.clone());
    let settings = Settings { budget, stop, ..Settings::default() };
    let search = OptionSearch { settings, ..OptionSearch::new(names) };
    let found = search.run(test).ok()?;
    fails(found.sets.first()?).filter(|words| words.len() < all.len())
}

/// Returns the options of a command, each with the place of its value where that is a word of its
/// own.
fn options(words: &[OsString], file: &Path) -> Vec<Vec<usize>> {
    let is_candidate = |word: &OsStr| {
        word == file.as_os_str() || word.as_bytes().windows(2).any(|part| part == b"@@")
    };
    let is_option =
        |word: &OsStr| word.len() > 1 && word.as_bytes().starts_with(b"-") && !is_candidate(word);
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut options = Vec::new();
    let mut at = 1;
    while at < end {
        if is_option(&words[at]) {
            let value = words[..end].get(at + 1);
            let has_value = value.is_some_and(|word| !is_option(word) && !is_candidate(word));
            let last = if has_value { at + 1 } else { at };
            options.push((at..=last).collect());
            at = last;
        }
        at += 1;
    }
    options
}
