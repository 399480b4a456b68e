//! The program `minirepro`: arguments become requests for the library, events become text, errors become
//! exit codes.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod error;
mod exit;
mod interrupt;
mod report;
mod system_error;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crate::args::{Cli, Command};
use crate::commands::launch::Launch;
use crate::commands::{guide, init, list, replay, resume, search, tree, verify};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal;

fn main() -> ExitCode {
    let cli = match Cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            if exit == Exit::Usage {
                // It repeats words that may come from anywhere, like the names that `*` stands for.
                terminal::error(format_args!("{error}"));
            } else {
                // If it cannot be shown, there is nobody to report to.
                let _ = error.print();
            }
            return exit.into();
        }
    };
    match run(cli) {
        Ok(exit) => exit,
        Err(error) => {
            terminal::error(format_args!("{error}"));
            save(&error);
            error.exit
        }
    }
    .into()
}

fn run(cli: Cli) -> Result<Exit, CliError> {
    match cli.command {
        Some(Command::Guide(args)) => guide::run(&args),
        Some(Command::Languages) => list::languages(),
        Some(Command::Passes(args)) => list::passes(&args),
        Some(Command::Tree(args)) => tree::run(&args),
        Some(Command::Init(args)) => init::run(&args),
        Some(Command::Resume(args)) => resume::run(args),
        Some(Command::Replay(args)) => replay::run(args),
        Some(Command::Verify(args)) => verify::run(*args),
        _ => search::search(cli, &Launch::here()),
    }
}

/// Writes a result that could not be written anywhere else to standard output, unless that is a
/// terminal.
fn save(error: &CliError) {
    let Some(text) = &error.lost else { return };
    if !io::stdout().is_terminal() && io::stdout().write_all(text).is_ok() {
        terminal::error(format_args!("The result went to standard output instead.\n"));
    }
}
