//! Reads of a directory what the test opens.

use std::path::{Path, PathBuf};

use minirepro_engine::Outcome;
use minirepro_runner::{CancelToken, Limits, Listed, ListedForm, Oracle};

use crate::error::Error;
use crate::sources::companions;
use crate::sources::project::{Part, listed, listed_files, read};
use crate::tester::program::{ready, workplace};
use crate::tester::subject::Test;

/// The part of a directory that a failing test reads.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its files, packed.
    pub archive: Vec<u8>,
    /// How many files the directory has.
    pub files: usize,
    /// How many of them are not in the archive.
    pub left_out: usize,
    /// How many of them are in the archive without what they hold.
    pub emptied: usize,
}

/// How a test is tried on a directory.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// What the caller wants every test to find beside its candidate.
    pub companions: &'a [PathBuf],
    /// What a test may use.
    pub limits: Limits,
    /// Whether files may be left out that the test does not open: what hides behind others, or must
    /// stay whatever the test says, may be in them.
    pub leaves_out: bool,
    /// A request to end.
    pub stop: &'a CancelToken,
}

/// Reads a directory, or of it what the test opens on a copy, if that fails as well. Files that it
/// only asks for are there without what they hold, if it needs them.
///
/// # Errors
/// If something cannot be read.
pub fn read_project(directory: &Path, test: &dyn Test, look: &Look<'_>) -> Result<Project, Error> {
    let files = workplace(test).and_then(|workplace| workplace.files.as_ref());
    let original = match files {
        Some(files) => listed_files(directory, files)?,
        None => listed(directory)?,
    };
    let files_of_all = original.files.len();
    let whole = || {
        let archive = read(&original, |_| Part::Whole)?;
        Ok(Project { archive, files: files_of_all, left_out: 0, emptied: 0 })
    };
    // Whoever names files wants them reduced.
    let may_leave_out = files.is_none() && files_of_all > 1 && look.leaves_out;
    let Some(spec) = test.spec().filter(|_| may_leave_out) else { return whole() };
    let companions = companions::beside(look.companions, directory, workplace(test));
    let Look { limits, stop, .. } = *look;
    let mut test = ready(spec, directory, limits)?;
    test.provide(&companions)?;
    // What is wrong is said when the whole is tested.
    let Ok(Some(opened)) = test.opened_of(&original, stop) else { return whole() };
    let is_read =
        |file: &Listed| matches!(file.form, ListedForm::Link(_)) || opened.contains(&file.path);
    let unread = original.files.iter().filter(|file| !is_read(file)).count();
    for part in [Part::None, Part::Empty] {
        if unread == 0 || stop.is_set() {
            break;
        }
        let archive = read(&original, |file| if is_read(file) { Part::Whole } else { part })?;
        if test.test(&archive, stop).is_ok_and(|seen| seen.outcome == Outcome::Fail) {
            let (left_out, emptied) = if part == Part::None { (unread, 0) } else { (0, unread) };
            return Ok(Project { archive, files: files_of_all, left_out, emptied });
        }
    }
    whole()
}
