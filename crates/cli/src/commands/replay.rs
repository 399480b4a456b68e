//! `minirepro replay`.

use std::path::PathBuf;

use minirepro_program::Mode;

use crate::args::Replay;
use crate::commands::consent;
use crate::commands::launch::Launch;
use crate::commands::read_run::{read_run, return_to};
use crate::commands::search::search;
use crate::error::CliError;
use crate::exit::Exit;

/// Runs `minirepro replay`.
///
/// # Errors
/// If there is no such run, or it does not end as it did.
pub fn run(args: Replay) -> Result<Exit, CliError> {
    let (mut cli, invocation) = read_run(&args.journal)?;
    consent::check_grammars(&args.journal, &cli, &invocation)?;
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let mode = Mode::Replay(absolute(args.journal));
    let replay_output = args.output.map(|path| match path.as_os_str() == "-" {
        true => path,
        false => absolute(path),
    });
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
        run.quiet = args.quiet;
        run.verbose = false;
    }
    search(cli, &Launch { mode, replay_output, ..Launch::again(invocation) })
}
