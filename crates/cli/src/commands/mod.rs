//! The commands: each turns its arguments into a request for the library, runs it, and says how to
//! exit.

pub mod agent;
pub mod batch;
pub mod completions;
pub mod directory;
pub mod guide;
pub mod isolate;
pub mod languages;
pub mod launch;
pub mod list;
pub mod man;
pub mod options;
#[cfg(feature = "browser")]
pub mod page;
pub mod past;
pub mod reduce;
pub mod rules;
mod source;
pub mod test;
pub mod tree;
pub mod verify;

use self::languages::languages;
use self::launch::Launch;
use crate::args::{Cli, Command};
use crate::error::CliError;
use crate::exit::Exit;

/// Refuses the first option that is given, with the reason.
///
/// # Errors
/// If one is given.
fn refuse(options: &[(bool, &str)], reason: &str) -> Result<(), CliError> {
    let given = options.iter().find(|(is_given, _)| *is_given);
    given.map_or(Ok(()), |(_, option)| Err(CliError::usage(format_args!("{option} {reason}"))))
}

/// Runs a search of any kind.
///
/// # Errors
/// If the search fails, or the subcommand is not a search.
pub fn search(cli: Cli, launch: &Launch) -> Result<Exit, CliError> {
    let launch = &Launch { languages: languages(cli.grammars())?, ..launch.clone() };
    match cli.command {
        None => reduce::run(cli.reduce, launch),
        Some(Command::Batch(args)) => batch::run(&args, launch),
        Some(Command::Isolate(args)) => isolate::run(*args, launch),
        Some(Command::Options(args)) => options::run(*args, launch),
        Some(_) => Err(CliError::usage("this subcommand has no journal")),
    }
}
