//! `minirepro replay`.

use crate::args::Replay;
use crate::commands::launch::Launch;
use crate::commands::read_run::{Replayed, replayed};
use crate::commands::search::search;
use crate::error::CliError;
use crate::exit::Exit;

/// Runs `minirepro replay`.
///
/// # Errors
/// If there is no such run, or it does not end as it did.
pub fn run(args: Replay) -> Result<Exit, CliError> {
    let replay_output = args.output.map(|path| match path.as_os_str() == "-" {
        true => path,
        false => std::path::absolute(&path).unwrap_or(path),
    });
    let Replayed { mut cli, invocation, mode, .. } = replayed(&args.journal)?;
    if let Some(run) = cli.run_args() {
        run.quiet = args.quiet;
    }
    search(cli, &Launch { mode, replay_output, ..Launch::again(invocation) })
}
