//! The command that began a run, as its journal tells.

use std::path::Path;

use minirepro_program::{Invocation, Mode, PreviousRun};

use crate::args::Cli;
use crate::commands::consent;
use crate::error::CliError;

/// Reads which command began the run of a journal.
///
/// # Errors
/// If there is no such run, or this version does not understand its command.
pub fn read_run(journal: &Path) -> Result<(Cli, Invocation), CliError> {
    let past = PreviousRun::read(journal).map_err(|e| CliError::unreadable_journal(&e))?;
    let directory = past.header.directory.clone();
    let arguments = past.header.arguments.clone();
    let words = ["minirepro".into()].into_iter().chain(arguments.iter().cloned());
    let cli = Cli::read(words).map_err(|error| CliError::usage_lines(&error.to_string()))?;
    Ok((cli, Invocation { directory, arguments }))
}

/// A run that is decided again from its journal.
pub struct Replayed {
    /// The command that began it, with one job and without limits of time.
    pub cli: Cli,
    /// Where and how it was typed.
    pub invocation: Invocation,
    /// What is done with its journal.
    pub mode: Mode,
    /// Whether the program of its test is certainly the user's own.
    pub is_own: bool,
}

/// Goes back to a run that is decided again from its journal.
///
/// # Errors
/// If there is no such run, or its grammars may not be loaded.
pub fn replayed(journal: &Path) -> Result<Replayed, CliError> {
    let (mut cli, invocation) = read_run(journal)?;
    consent::check_grammars(journal, &cli)?;
    let is_own = consent::doubt(journal).is_none();
    let mode = Mode::Replay(std::path::absolute(journal).unwrap_or_else(|_| journal.to_owned()));
    // The input of a reduction is in the journal.
    if let Err(error) = return_to(&invocation.directory)
        && cli.command.is_some()
    {
        return Err(error);
    }
    if let Some(run) = cli.run_args() {
        run.jobs = Some(1);
        run.max_time = None;
        run.stats = None;
        run.verbose = false;
    }
    Ok(Replayed { cli, invocation, mode, is_own })
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
