//! `minirepro agent`.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use minirepro_program::serve_as_agent;

use crate::args::Agent;
use crate::commands::launch::{processors, stop};
use crate::error::CliError;
use crate::exit::Exit;

/// Runs `minirepro agent`.
///
/// # Errors
/// If its input is not a run of minirepro, or the connection fails.
pub fn run(args: &Agent) -> Result<Exit, CliError> {
    let stop = stop()?;
    let refused = |error: io::Error| CliError::new(Exit::BrokenTest, error);
    // Without a buffer in front of it: what was read is known, and what is written has left.
    let input = io::stdin().as_fd().try_clone_to_owned().map_err(refused)?;
    let output = io::stdout().as_fd().try_clone_to_owned().map_err(refused)?;
    let jobs = args.jobs.unwrap_or_else(processors);
    serve_as_agent(File::from(input), File::from(output), jobs, env!("CARGO_PKG_VERSION"), &stop)
        .map_err(|error| CliError::new(Exit::BrokenTest, error))?;
    Ok(if stop.is_set() { Exit::Interrupted } else { Exit::Done })
}
