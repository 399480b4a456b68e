//! A test on one text, outside of any run: how it fails, and what a report shows of it.

use std::fs;
use std::path::{Path, PathBuf};

use minirepro_runner::{
    CancelToken, Failure, Limits, Printed, Program, ProgramTest, Signature, TestEnd, TestSpec,
};

use crate::error::Error;
use crate::grammars::Languages;
use crate::sources::companions;
use crate::tester::program::{by_hand, ready, with_named};

/// The most files that a test may add to a report.
const MOST_FILES: usize = 20;

/// Larger files of a test are left out.
const MOST_BYTES: u64 = 4 << 20;

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
    let added = companions::beside(exhibit.companions, file, None);
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

/// Runs it once; returns how it ended, and its signature if it failed.
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
