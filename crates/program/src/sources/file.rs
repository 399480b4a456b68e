//! Single files.

use std::io;
use std::path::Path;

use minirepro_runner::PreviousRun;
use minirepro_runner::system::{LIMIT, read_limited};

use crate::error::{Error, Unreadable};

/// Reads a whole file.
///
/// # Errors
/// If it does not exist, is a directory, or it is too large for a tree.
pub fn file(path: &Path) -> Result<Vec<u8>, Error> {
    checked(path, read_limited(path, LIMIT))
}

/// Reads standard input to its end; `name` is what errors call it.
///
/// # Errors
/// If it cannot be read, or is too large for a tree.
pub fn standard_input(name: &Path) -> Result<Vec<u8>, Error> {
    checked(name, read_limited(Path::new("/dev/stdin"), LIMIT))
}

fn checked(path: &Path, read: io::Result<Vec<u8>>) -> Result<Vec<u8>, Error> {
    let unreadable = |cause| Error::InputUnreadable { path: path.to_owned(), cause };
    let text = read.map_err(|error| {
        unreadable(match error.kind() {
            io::ErrorKind::NotFound => Unreadable::Missing,
            io::ErrorKind::IsADirectory => Unreadable::IsDirectory,
            io::ErrorKind::FileTooLarge => Unreadable::Endless,
            _ => Unreadable::Io(error),
        })
    })?;
    if u32::try_from(text.len()).is_err() {
        return Err(unreadable(Unreadable::TooLarge));
    }
    Ok(text)
}

/// Reads the bytes with which the run in this journal began.
///
/// # Errors
/// If they are gone.
pub fn recorded_input(journal: &Path) -> Result<Vec<u8>, Error> {
    Ok(PreviousRun::input(journal)?)
}
