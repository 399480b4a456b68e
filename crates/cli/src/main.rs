//! The program `minirepro`: arguments become requests for the library, events become text, errors
//! become exit codes.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod chapters;
mod commands;
mod error;
mod exit;
mod interrupt;
mod misread;
mod report;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use minirepro_program::{Invocation, compilers};
use signal_hook::consts::SIGXFSZ;

use crate::args::{Cli, Command};
use crate::commands::launch::Launch;
#[cfg(feature = "browser")]
use crate::commands::page;
use crate::commands::{
    agent, completions, guide, languages, list, man, past, rules, search, tree, verify,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::misread::Around;
use crate::report::terminal::{self, say};

fn main() -> ExitCode {
    // Programs of tests are overheard.
    minirepro_program::overhear(&compilers::granting);
    // Where files may not become any larger (`ulimit -f`), writing then fails, and does not kill
    // us. If even this is refused, that is as it was.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let cli = match read(&mut words) {
        Ok(cli) => cli,
        Err(exit) => return exit.into(),
    };
    #[cfg(feature = "browser")]
    if let Some(Command::Page(args)) = cli.command {
        return page::run(*args).into();
    }
    words.drain(..words.len().min(1));
    match run(cli, words) {
        Ok(exit) => exit,
        Err(error) => {
            terminal::error(format_args!("{}", error.text));
            // A terminal is no place for a result that could not be written anywhere else.
            if let (Some(text), false) = (&error.lost, io::stdout().is_terminal())
                && io::stdout().write_all(text).is_ok()
            {
                say!("The result went to standard output instead.");
            }
            error.exit
        }
    }
    .into()
}

/// Reads the command line. Where only one thing can be meant, `words` become what it is.
///
/// # Errors
/// If it has no meaning, or asks for help: what there is to say has been said.
fn read(words: &mut Vec<OsString>) -> Result<Cli, Exit> {
    let error = match Cli::read(words.iter().cloned()) {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    if !error.use_stderr() {
        // If it cannot be shown, there is nobody to report to.
        let _ = error.print();
        return Err(Exit::Done);
    }
    let around = Around { look: &misread::look, project: &misread::project };
    let advice = misread::advice(words.get(1..).unwrap_or_default(), error.kind(), &around);
    if let Some(Ok((meant, note))) = &advice {
        let meant: Vec<OsString> = words.iter().take(1).chain(meant).cloned().collect();
        if let Ok(cli) = Cli::read(meant.iter().cloned()) {
            *words = meant;
            say!("{note}");
            return Ok(cli);
        }
    }
    // It repeats words that may come from anywhere, like the names that `*` stands for.
    match advice {
        Some(Err(error)) => terminal::error(format_args!("{}", error.text)),
        _ => terminal::error(format_args!("{error}")),
    }
    Err(Exit::Usage)
}

fn run(cli: Cli, words: Vec<OsString>) -> Result<Exit, CliError> {
    match cli.command {
        Some(Command::Agent(args)) => agent::run(&args),
        Some(Command::Guide(args)) => guide::run(&args),
        Some(Command::Languages(args)) => languages::run(&args),
        Some(Command::Passes(args)) => list::passes(&args),
        Some(Command::Rules(args)) => rules::run(&args),
        Some(Command::Tree(args)) => tree::run(&args),
        Some(Command::Resume(args)) => past::resume(args),
        Some(Command::Report(args)) => past::report(args),
        Some(Command::Verify(args)) => verify::run(*args),
        Some(Command::Completions(args)) => completions::run(&args),
        Some(Command::Man(args)) => man::run(&args),
        _ => {
            let directory = std::env::current_dir().unwrap_or_default();
            let invocation = Invocation { directory, arguments: words };
            search(cli, &Launch { invocation, ..Launch::default() })
        }
    }
}
