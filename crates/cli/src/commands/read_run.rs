//! The command that began a run, as its journal tells.

use std::path::Path;

use minirepro_program::{Invocation, PreviousRun};

use crate::args::Cli;
use crate::error::CliError;

/// Reads which command began the run of a journal.
///
/// # Errors
/// If there is no such run, or this version does not understand its command.
pub fn read_run(journal: &Path) -> Result<(Cli, Invocation), CliError> {
    let past = PreviousRun::read(journal).map_err(|e| CliError::unreadable_journal(&e))?;
    let directory = past.header.directory();
    let arguments = past.header.arguments();
    let words = ["minirepro".into()].into_iter().chain(arguments.iter().cloned());
    let cli = Cli::read(words).map_err(|error| CliError::usage_lines(&error.to_string()))?;
    Ok((cli, Invocation { directory, arguments }))
}

/// Goes back to the directory in which a run was begun.
///
/// # Errors
/// If it is gone.
pub fn return_to(directory: &Path) -> Result<(), CliError> {
    std::env::set_current_dir(directory).map_err(|error| {
        CliError::usage(format_args!("the run began in {}: {error}", directory.display()))
    })
}
