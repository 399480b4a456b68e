//! The command line: arguments → session, events → terminal, ends → exit codes.

mod all;
mod args;
mod causes;
mod changes;
mod context;
mod diff;
mod difference;
mod directory;
mod ends;
mod events;
mod exit;
mod facts;
mod failure;
mod figures;
mod files;
mod findings;
mod format;
mod init;
mod interrupt;
mod isolate;
mod keep;
mod list;
mod live;
mod one_file;
mod options;
mod oracle;
mod place;
mod plan;
mod preprocess;
mod progress;
mod project;
mod reduce;
mod replay;
mod resume;
mod scope;
mod stats;
mod summary;
mod template;
mod tree;
mod trial;
mod verify;
mod words;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::keep::{Typed, Way};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Reduced };
            // Nobody is left to tell when even the terminal is closed.
            let _ = error.print();
            return exit.into();
        }
    };
    let done = match cli.command {
        Some(Command::Languages) => list::languages(),
        Some(Command::Passes) => list::passes(),
        Some(Command::Tree(args)) => tree::tree(&args),
        Some(Command::Init(args)) => init::init(&args),
        Some(Command::Resume(args)) => resume::resume(args),
        Some(Command::Replay(args)) => replay::replay(&args),
        Some(Command::Verify(args)) => verify::verify(*args),
        None if cli.reduce.all.is_some() && !cli.reduce.is_of_a_directory() => {
            all::reduce(&cli.reduce)
        }
        Some(Command::Isolate(_) | Command::Options(_) | Command::Events(_)) | None => {
            resume::search(cli, &Typed::here(), Way::Begin)
        }
    };
    done.unwrap_or_else(|failure| {
        eprint!("{failure}");
        failure.exit
    })
    .into()
}
