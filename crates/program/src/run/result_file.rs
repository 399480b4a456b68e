//! Results on disk while a search makes them smaller, and at its end.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_runner::system::rename;
use minirepro_runner::{Digest, Output, OutputError, Writer, exchange, rescue, unpack};
use rustix::fs::{XattrFlags, getxattr, setxattr};

use crate::error::Error;
use crate::observer::RunEvent;
use crate::paths;
use crate::run::context::RunContext;
use crate::sources;

/// The place of a result that gets better and better.
pub enum ResultPlace {
    /// A file.
    File(ResultFile),
    /// A directory. One of many files takes a while to be written, and is often followed by a
    /// better one soon.
    Directory(PathBuf, RefCell<Writes>),
}

/// The writes of a directory so far.
#[derive(Default)]
pub struct Writes {
    last: Option<Instant>,
    /// How long the last one took.
    took: Duration,
    /// Whether a better result is not written.
    lag: bool,
}

/// Writing takes no more than one part of this many of the time.
const PAUSE: u32 = 10;

impl ResultPlace {
    /// Makes a place that holds the best result there is from now on: a file, with what the input
    /// is called, or a directory. If the run goes on, what an earlier part of it has written to a
    /// file stays until there is something smaller.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(
        path: &Path,
        like: Option<&Path>,
        best: &[u8],
        context: &RunContext<'_>,
    ) -> Result<Self, Error> {
        if let Some(like) = like {
            let goes_on = context.store.is_continuing();
            return ResultFile::new(path, like, best, goes_on).map(Self::File);
        }
        Output::new(path, path).clean();
        write_directory(best, path, context)?;
        Ok(Self::Directory(path.to_owned(), RefCell::default()))
    }

    /// Hands a better result over. A directory is not written if one was a short while ago.
    pub fn offer(&self, text: &Arc<[u8]>, context: &RunContext<'_>) {
        match self {
            Self::File(file) => file.offer(text),
            Self::Directory(path, writes) => {
                let mut writes = writes.borrow_mut();
                writes.lag = writes.last.is_some_and(|last| last.elapsed() < writes.took * PAUSE);
                if !writes.lag {
                    let begun = Instant::now();
                    writes.lag = write_directory(text, path, context).is_err();
                    (writes.last, writes.took) = (Some(Instant::now()), begun.elapsed());
                }
            }
        }
    }

    /// Returns whether the result stays there: it is not something to be written to once.
    pub fn is_kept(&self) -> bool {
        !matches!(self, Self::File(ResultFile { writer: None, .. }))
    }

    /// Makes sure that the result is there. That a file could not be written is noted: then the
    /// result is at least somewhere.
    ///
    /// # Errors
    /// If a directory cannot be written.
    pub fn finish(self, best: &Arc<[u8]>, context: &RunContext<'_>) -> Result<(), Error> {
        match self {
            Self::File(file) => context.note(file.finish(best, context)),
            Self::Directory(path, writes) if writes.borrow().lag => {
                write_directory(best, &path, context)?;
            }
            Self::Directory(..) => {}
        }
        Ok(())
    }
}

/// Writes a result that gets no better: a directory, or a file that is called like this one.
///
/// # Errors
/// If it cannot be written.
pub fn write_result(
    path: &Path,
    like: Option<&Path>,
    text: &Arc<[u8]>,
    context: &RunContext<'_>,
) -> Result<(), Error> {
    match like {
        Some(like) => ResultFile::new(path, like, text, false)?.finish(text, context),
        None => write_directory(text, path, context),
    }
}

/// A file for the result of a search.
pub struct ResultFile {
    output: Output,
    /// What the input is called, for the name of a rescued result.
    like: PathBuf,
    writer: Option<Writer>,
    /// Larger results are not written before the end, since a smaller one is there.
    largest: Option<usize>,
}

impl ResultFile {
    /// Makes a file that holds the best result there is from now on. If the run goes on, `goes_on`,
    /// what an earlier part of it has written stays until there is something smaller.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(path: &Path, like: &Path, best: &[u8], goes_on: bool) -> Result<Self, Error> {
        let output = Output::new(path, like);
        if !output.can_be_replaced() {
            return Ok(Self { output, like: like.to_owned(), writer: None, largest: None });
        }
        output.clean();
        let there = fs::metadata(path).map_or(0, |data| data.len());
        let largest = usize::try_from(there).ok().filter(|&there| goes_on && there > 0);
        if largest.is_none_or(|largest| best.len() < largest) {
            output.write(best).map_err(not_written)?;
        }
        let writer = Some(Writer::new(output.clone()).map_err(not_written)?);
        Ok(Self { output, like: like.to_owned(), writer, largest })
    }

    /// Hands a better result over.
    pub fn offer(&self, text: &Arc<[u8]>) {
        if self.largest.is_some_and(|largest| text.len() > largest) {
            return;
        }
        if let Some(writer) = &self.writer {
            writer.offer(Arc::clone(text));
        }
    }

    /// Makes sure that the result is where it should be, or at least somewhere. Tells where results
    /// are that somebody else has changed.
    ///
    /// # Errors
    /// If it is not where it should be.
    pub fn finish(self, best: &Arc<[u8]>, context: &RunContext<'_>) -> Result<(), Error> {
        let written = match self.writer {
            None => self.output.write(best),
            Some(writer) => {
                // What is offered last is what is written last.
                writer.offer(Arc::clone(best));
                writer.finish()
            }
        };
        for kept in self.output.kept() {
            context.tell(&RunEvent::EditedResultKept { result: self.output.name(), kept: &kept });
        }
        written.map_err(|error| {
            let rescued = rescue(&self.like, best).ok();
            let result = rescued.is_none().then(|| Arc::clone(best));
            Error::ResultNotWritten { error, rescued, result }
        })
    }
}

/// Reports a result that could not be written, by which nothing is lost.
pub fn not_written(error: OutputError) -> Error {
    Error::ResultNotWritten { error, rescued: None, result: None }
}

/// Writes an archive as a directory, in one step; an earlier result of ours is replaced. If
/// somebody has changed that, it gets another name, which is told.
///
/// # Errors
/// If it cannot be written. The old one is then still there.
pub fn write_directory(archive: &[u8], path: &Path, context: &RunContext<'_>) -> Result<(), Error> {
    let told = |error: io::Error| not_written(OutputError { path: path.to_owned(), error });
    let place = Output::new(path, path).workshop().map_err(told)?;
    let fresh = place.path().join("new");
    unpack(archive, &fresh).map_err(told)?;
    mark(&fresh);
    if !path.exists() {
        return rename(&fresh, path).map_err(told);
    }
    let is_changed = is_changed(path) == Some(true);
    exchange(path, &fresh, &place.path().join("spare")).map_err(told)?;
    if is_changed {
        let kept = paths::edited_directory(path);
        rename(&fresh, &kept).map_err(told)?;
        context.tell(&RunEvent::EditedResultKept { result: path, kept: &kept });
    }
    Ok(())
}

/// Refuses a place for a directory that is taken, unless it holds a result of an earlier run that
/// nobody has changed.
///
/// # Errors
/// If something else is there.
pub fn check_free(path: &Path) -> Result<(), Error> {
    if path.symlink_metadata().is_err() || is_changed(path) == Some(false) {
        return Ok(());
    }
    Err(Error::ResultExists(path.to_owned()))
}

/// The attribute of a directory that says what we have put into it.
const MARK: &str = "user.minirepro.result";

/// Marks a directory as a result. Where the file system knows no attributes, it counts as somebody
/// else's.
fn mark(directory: &Path) {
    // Not the archive: its files may stand in another order than they are read in.
    let Ok(archive) = sources::directory(directory) else { return };
    let digest = Digest::of(&archive);
    let _ = setxattr(directory, MARK, digest.as_str().as_bytes(), XattrFlags::empty());
}

/// Returns whether somebody has changed what a run has put into a directory; `None` if no run has
/// put anything there, or it cannot be read.
fn is_changed(path: &Path) -> Option<bool> {
    let mut mark = [0; 64];
    let length = getxattr(path, MARK, &mut mark).ok()?;
    if path.symlink_metadata().ok()?.is_symlink() {
        return None;
    }
    let now = Digest::of(&sources::directory(path).ok()?);
    Some(mark[..length] != *now.as_str().as_bytes())
}
