//! `--all`: several causes of failure that do not need each other, reported as a set. Knows the files
//! that results went to, nothing about how they were found.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use minirepro_circumstances::{Pieces, carried};
use minirepro_engine::Outcome;
use minirepro_runner::DriveError;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::figures::counted;
use crate::plan::Talk;
use crate::trial::Bench;

/// Which of several causes are wanted; without `--all`, the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Each, in a numbered result of its own
    #[default]
    Each,
    /// The one with the smallest result
    Smallest,
}

/// A cause that was found.
#[derive(Clone, Debug)]
pub struct Cause {
    /// The files and directories that it went to; the last one is shown.
    pub places: Vec<PathBuf>,
    /// What is left, to tell causes from each other.
    pub text: Vec<u8>,
    /// How large it is.
    pub size: u64,
    /// What it is counted in, in the singular.
    pub unit: &'static str,
}

/// A difference that was isolated.
pub struct Isolated {
    /// What passes.
    pub passing: Arc<[u8]>,
    /// What fails.
    pub failing: Arc<[u8]>,
    /// The result.
    pub cause: Cause,
    /// Whether the test worked to the end.
    pub driven: Result<(), DriveError>,
    /// Whether the search ended early.
    pub is_over: bool,
}

/// Isolates one difference and, with `all`, goes on with what fails without it, until that does not
/// fail any more. `one` isolates a difference between what passes and a text; it gets its number.
///
/// # Errors
/// Those of `one`, and when the test does not work.
pub fn isolate_all(
    bench: &Bench<'_>,
    all: Option<Which>,
    (failing, pieces): (&Arc<[u8]>, &[Pieces]),
    mut one: impl FnMut(usize, &Arc<[u8]>) -> Result<Isolated, Failure>,
) -> Result<Result<(), DriveError>, Failure> {
    let tell = |line: String| {
        if Talk::of(bench.common) > Talk::Quiet {
            eprintln!("{line}");
        }
    };
    let mut failing = Arc::clone(failing);
    let mut found = Vec::new();
    loop {
        let isolated = one(found.len(), &failing)?;
        let Isolated { passing, failing: fails, cause, driven, is_over } = isolated;
        found.push(cause);
        let Some(which) = all else { return Ok(driven) };
        let without = |&pieces: &Pieces| carried(pieces, &fails, &passing, &failing);
        let rest = pieces.iter().find_map(without).filter(|rest| **rest != *failing);
        let is_over = is_over || driven.is_err() || bench.is_stopped();
        let told = match rest {
            _ if is_over => None,
            None => Some("what was found cannot be taken out of what fails"),
            Some(rest) if bench.probe(&rest)? == Outcome::Fail => {
                failing = rest.into();
                continue;
            }
            Some(_) => Some("without what was found the failure is not there"),
        };
        told.into_iter().for_each(|line| tell(line.into()));
        settle(&found, which, &tell)?;
        return Ok(driven);
    }
}

/// How many lines of a diff are not the same in both texts.
pub fn changed_lines(diff: &str) -> u64 {
    let changed = |line: &&str| {
        line.starts_with(['+', '-']) && !line.starts_with("+++ ") && !line.starts_with("--- ")
    };
    diff.lines().filter(changed).count() as u64
}

/// Says what was found, in lines for `tell`. Where only the smallest is wanted, its results take the
/// names of the first one's, and the others go.
///
/// # Errors
/// When they cannot be moved.
pub fn settle(found: &[Cause], which: Which, tell: &dyn Fn(String)) -> Result<(), Failure> {
    let mut texts: Vec<&[u8]> = found.iter().map(|cause| &cause.text[..]).collect();
    texts.sort_unstable();
    texts.dedup();
    let all = counted(found.len() as u64, "result");
    tell(format!("{all}, {} of them different:", texts.len()));
    let Some((at, smallest)) = found.iter().enumerate().min_by_key(|(_, cause)| cause.size) else {
        return Ok(());
    };
    for (number, Cause { places, size, unit, .. }) in found.iter().enumerate() {
        let place = places.last().map_or_else(String::new, |place| place.display().to_string());
        let mark = if number == at && found.len() > 1 { ", the smallest" } else { "" };
        tell(format!("  {place} ({}{mark})", counted(*size, unit)));
    }
    if which == Which::Each {
        return Ok(());
    }
    let moved = |error: std::io::Error| {
        Failure::new(Exit::NotWritten, format!("cannot move the smallest result: {error}"))
    };
    for (number, cause) in found.iter().enumerate().filter(|(number, _)| *number != at) {
        debug_assert_ne!(number, at);
        cause.places.iter().try_for_each(|place| remove(place)).map_err(moved)?;
    }
    for (from, to) in smallest.places.iter().zip(&found[0].places).filter(|(from, to)| from != to) {
        fs::rename(from, to).map_err(moved)?;
    }
    let shown = found[0].places.last().map_or_else(String::new, |p| p.display().to_string());
    tell(format!("the smallest is in {shown}; the others are removed"));
    Ok(())
}

fn remove(place: &Path) -> std::io::Result<()> {
    if place.is_dir() { fs::remove_dir_all(place) } else { fs::remove_file(place) }
}
