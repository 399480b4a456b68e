//! `minirepro resume`.

use minirepro_program::Mode;

use crate::args::Resume;
use crate::commands::consent;
use crate::commands::launch::Launch;
use crate::commands::read_run::{read_run, return_to};
use crate::commands::search::search;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::say;

/// Runs `minirepro resume`. Options that do not decide the run are the new ones: it does not end
/// early again for the reason for which it did before.
///
/// # Errors
/// If there is no such run, or something has changed since.
pub fn run(args: Resume) -> Result<Exit, CliError> {
    let (mut cli, invocation) = read_run(&args.journal)?;
    consent::check(&args.journal, &invocation)?;
    let journal = std::path::absolute(&args.journal).unwrap_or(args.journal);
    // It is named where resume was typed, not where the run began.
    let report = args.report.map(|path| std::path::absolute(&path).unwrap_or(path));
    return_to(&invocation.directory)?;
    let is_reduction = cli.command.is_none();
    let Some(run) = cli.run_args() else {
        return Err(CliError::usage(format_args!(
            "{} does not contain a resumable run",
            journal.display()
        )));
    };
    run.jobs = args.jobs.or(run.jobs);
    if !args.workers.is_empty() {
        run.workers = args.workers;
    }
    run.report = report.or_else(|| run.report.take());
    run.progress = args.progress;
    run.quiet = args.quiet;
    run.verbose = args.verbose;
    run.max_tests = args.max_tests;
    run.max_time = args.max_time;
    if args.until_size.is_some() && !is_reduction {
        return Err(CliError::usage("--until-size is for reductions of single files"));
    }
    cli.reduce.until_size = args.until_size;
    if !args.quiet {
        say!("continuing: {}", consent::command_line(&invocation));
    }
    let mode = Mode::Resume(journal);
    search(cli, &Launch { mode, ..Launch::again(invocation) })
}
