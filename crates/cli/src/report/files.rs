//! Files that are written besides a result.

use std::path::Path;

use minirepro_program::{OutputFile, sources};

use super::terminal::shown;
use crate::error::CliError;
use crate::exit::Exit;

/// Writes a file.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, text: &[u8]) -> Result<(), CliError> {
    OutputFile::new(path, path).write(text).map_err(|error| CliError::new(Exit::NotWritten, error))
}

/// Checks that a file can be written, and that nothing is lost by it, and writes nothing.
///
/// # Errors
/// If its directory is missing or read-only, a directory has this name, or it holds something else.
pub fn check(path: &Path, what: &str, is_ours: impl Fn(&[u8]) -> bool) -> Result<(), CliError> {
    OutputFile::new(path, path).check().map_err(|error| CliError::new(Exit::NotWritten, error))?;
    let there = sources::file(path).unwrap_or_default();
    if there.is_empty() || is_ours(&there) {
        return Ok(());
    }
    let path = shown(path);
    Err(CliError::usage(format_args!("{path} is there already, and is not {what} of minirepro"))
        .advise("Name another file, or remove this one.\n"))
}
