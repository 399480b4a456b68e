//! The searches, by the subcommand that was given.

use crate::args::{Cli, Command};
use crate::commands::languages::languages;
use crate::commands::launch::Launch;
use crate::commands::{isolate, options, reduce};
use crate::error::CliError;
use crate::exit::Exit;

/// Runs a search of any kind.
///
/// # Errors
/// If the search fails, or the subcommand is not a search.
pub fn search(cli: Cli, launch: &Launch) -> Result<Exit, CliError> {
    let launch = &Launch { languages: languages(cli.grammars())?, ..launch.clone() };
    match cli.command {
        None => reduce::run(cli.reduce, launch),
        Some(Command::Isolate(args)) => isolate::run(*args, launch),
        Some(Command::Options(args)) => options::run(*args, launch),
        Some(_) => Err(CliError::usage("this subcommand has no journal")),
    }
}
