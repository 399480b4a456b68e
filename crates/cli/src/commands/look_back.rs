//! `minirepro report`: what the journal of a run tells about it.

use std::path::{Path, PathBuf};

use minirepro_program::{PreviousRun, paths};

use crate::args::Report;
use crate::commands::launch::Launch;
use crate::commands::read_run::{Replayed, replayed};
use crate::commands::search::search;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::document::place::ReportPlace;

/// Writes the report of a run.
///
/// # Errors
/// If there is no journal of it, or the report cannot be written.
pub fn report(args: Report) -> Result<Exit, CliError> {
    let journal = journal_of(&args.run)?;
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let path = match args.output {
        Some(path) if path.as_os_str() == "-" => path,
        Some(path) => absolute(path),
        None => absolute(default_place(&args.run)),
    };
    look(&journal, ReportPlace::of(path))
}

/// Writes the report of the run with this journal, whose result is now here, and says nothing.
///
/// # Errors
/// If it cannot be written.
pub fn write_report(journal: &Path, path: &Path, result: &Path) -> Result<Exit, CliError> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let result = Some(result.to_owned());
    look(journal, ReportPlace { is_told: false, result, ..ReportPlace::of(path) })
}

/// Decides a run again for a report. Its test is asked what it prints only if it is certainly the
/// user's own.
fn look(journal: &Path, place: ReportPlace) -> Result<Exit, CliError> {
    let past = PreviousRun::read(journal).map_err(|error| CliError::unreadable_journal(&error))?;
    let Replayed { mut cli, invocation, mode, is_own } = replayed(journal)?;
    let wanted = Some(ReportPlace { runs_programs: is_own, ..place });
    // Of a test script, and of conditions, the journal holds other words.
    let failure = match cli.failure_is_learnt() {
        true => past.header.test.get("the failure").cloned(),
        false => None,
    };
    if let Some(run) = cli.run_args() {
        run.report = None;
        run.quiet = true;
    }
    search(cli, &Launch { mode, wanted, failure, ..Launch::again(invocation) })
}

/// Returns the journal of a run, by its own directory or by the result.
fn journal_of(run: &Path) -> Result<PathBuf, CliError> {
    let is_journal = |path: &Path| path.join("journal").is_file();
    if is_journal(run) {
        return Ok(run.to_owned());
    }
    let beside = paths::journal_beside(run);
    if is_journal(&beside) {
        return Ok(beside);
    }
    let (run, beside) = (run.display(), beside.display());
    Err(CliError::usage(format_args!("{run} has no journal: there is no run in {beside}"))
        .advise("The journal of a complete run is removed, unless the run has --journal DIR.\n"))
}

/// Returns where a report goes by default.
fn default_place(run: &Path) -> PathBuf {
    let mut name = run.with_extension("").file_name().unwrap_or_default().to_owned();
    if name.is_empty() {
        name = "minirepro".into();
    }
    name.push(".report.html");
    run.with_file_name(name)
}
