//! Reads of a directory what the test opens.

use std::path::{Path, PathBuf};

use minirepro_runner::{CancelToken, Limits, Listed, Workplace};

use crate::error::Error;
use crate::sources::companions;
use crate::sources::project::{Part, listed, listed_files, read};
use crate::tester::subject::{Test, Trial};

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
    let files = match test.workplace() {
        Some(Workplace { files: Some(files), .. }) => Some(files),
        _ => None,
    };
    let original = match files {
        Some(files) => listed_files(directory, files)?,
        None => listed(directory)?,
    };
    let all = original.files.len();
    let whole = |archive| Project { archive, files: all, left_out: 0, emptied: 0 };
    // Whoever names files wants them reduced.
    if files.is_some() || all < 2 || !look.leaves_out {
        return Ok(whole(read(&original, |_| Part::Whole)?));
    }
    let companions = companions::beside(look.companions, directory, test.workplace());
    let Look { limits, stop, .. } = *look;
    let trial = Trial { original: &original, companions: &companions, limits, stop };
    let Some(tried) = test.trial(&trial)? else {
        return Ok(whole(read(&original, |_| Part::Whole)?));
    };
    let is_read = |file: &Listed| file.link.is_some() || tried.opened.contains(&file.path);
    let unread = original.files.iter().filter(|file| !is_read(file)).count();
    for part in [Part::None, Part::Empty] {
        if unread == 0 || stop.is_set() {
            break;
        }
        let archive = read(&original, |file| if is_read(file) { Part::Whole } else { part })?;
        if (tried.fails)(&archive) {
            let (left_out, emptied) = if part == Part::None { (unread, 0) } else { (0, unread) };
            return Ok(Project { archive, files: all, left_out, emptied });
        }
    }
    Ok(whole(read(&original, |_| Part::Whole)?))
}
