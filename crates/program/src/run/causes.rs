//! Several causes of a failure that do not need each other, found one after the other: a cause is
//! taken out of what fails, and if the rest still fails, it is searched as well.

use std::fs;
use std::io;
use std::path::Path;

use minirepro_engine::Outcome;
use minirepro_runner::OutputError;

use crate::error::Error;
use crate::observer::{NoMoreCauses, RunEvent};
use crate::outcome::Cause;
use crate::request::settings::Causes;
use crate::run::context::RunContext;

/// A cause that was found.
pub struct Found {
    /// Where it went, and its size.
    pub cause: Cause,
    /// What is left, to tell causes from each other.
    pub text: Vec<u8>,
}

/// A search for one cause after the other.
pub trait CauseSearch {
    /// Finds a cause in what is left.
    ///
    /// # Errors
    /// If it cannot be written.
    fn find(&mut self, context: &RunContext<'_>, nth: usize) -> Result<Found, Error>;

    /// Takes the causes found out of what fails, and returns the rest as a candidate.
    ///
    /// # Errors
    /// If there is no such rest.
    fn rest(&mut self) -> Result<Vec<u8>, NoMoreCauses>;

    /// Returns the outcome of the rest with which it is searched.
    fn wanted(&self) -> Outcome {
        Outcome::Fail
    }

    /// Returns why a rest is not searched that has this outcome.
    fn refused(&mut self, outcome: Outcome) -> NoMoreCauses;
}

/// Finds the first cause, or all that are wanted.
///
/// # Errors
/// If the search fails.
pub fn find(
    context: &RunContext<'_>,
    all: bool,
    search: &mut dyn CauseSearch,
) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    loop {
        found.push(search.find(context, found.len())?);
        if !all || context.stopped().is_some() {
            return Ok(found);
        }
        let why = match search.rest() {
            Err(why) => why,
            Ok(rest) => match context.probe(&rest) {
                None => return Ok(found),
                Some(outcome) if outcome == search.wanted() => continue,
                Some(outcome) => search.refused(outcome),
            },
        };
        context.tell(&RunEvent::NoMoreCauses(why));
        return Ok(found);
    }
}

/// Tells what was found. Where only the smallest is wanted, its results take the names of the first
/// one's, and the others go. Returns the place of the one that stays in that case.
///
/// # Errors
/// If they cannot be moved.
pub fn settle(
    context: &RunContext<'_>,
    found: &[Found],
    causes: Causes,
) -> Result<Option<usize>, Error> {
    if causes == Causes::First {
        return Ok(None);
    }
    let mut texts: Vec<&[u8]> = found.iter().map(|found| &found.text[..]).collect();
    texts.sort_unstable();
    texts.dedup();
    let by_size = found.iter().enumerate().min_by_key(|(_, found)| found.cause.size);
    let Some((at, smallest)) = by_size else { return Ok(None) };
    let only_smallest = causes == Causes::Smallest;
    if only_smallest {
        for (_, other) in found.iter().enumerate().filter(|(number, _)| *number != at) {
            other.cause.paths.iter().try_for_each(|path| remove(path))?;
        }
        for (from, to) in smallest.cause.paths.iter().zip(&found[0].cause.paths) {
            if from != to {
                fs::rename(from, to).map_err(|error| not_moved(to, error))?;
            }
        }
    }
    let all: Vec<Cause> = found.iter().map(|found| found.cause.clone()).collect();
    context.tell(&RunEvent::CausesFound {
        causes: &all,
        different: texts.len(),
        smallest: at,
        only_smallest,
    });
    Ok(only_smallest.then_some(at))
}

/// Keeps only the result at `at`, under the name of the first one.
pub fn keep_only<R, P>(results: &mut Vec<R>, at: usize, path: fn(&mut R) -> &mut Option<P>) {
    let first = path(&mut results[0]).take();
    let mut kept = results.swap_remove(at);
    *path(&mut kept) = first;
    *results = vec![kept];
}

fn remove(path: &Path) -> Result<(), Error> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(|error| not_moved(path, error))
}

fn not_moved(path: &Path, error: io::Error) -> Error {
    let error = OutputError { path: path.to_owned(), error };
    Error::ResultNotWritten { error, rescued: None, result: None }
}
