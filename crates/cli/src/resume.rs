//! `minirepro resume`: a run goes on where it was interrupted.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser};
use minirepro_runner::Past;

use crate::args::{Cli, Command, Size, jobs, seconds, size};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::keep::{Typed, Way, unusable};
use crate::plan::Reduction;
use crate::{directory, events, isolate, options, reduce};

/// Goes on with a run that was interrupted or killed, or that ended early.
///
/// Answers that are in the journal cost no test. What decides the run (file, test, options) must be as
/// it was. It ends with the result that the undisturbed run would have had.
#[derive(Debug, Args)]
pub struct Resume {
    /// The directory of the journal, `OUT.minirepro` if --journal did not name another
    #[arg(value_name = "DIR")]
    pub journal: PathBuf,
    /// How many tests run at the same time; the result does not depend on it [default: as before]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Stop after so many tests, those of before included
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,
    /// Stop after so many seconds from now on
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub max_time: Option<Duration>,
    /// Stop as soon as the result is as small as this: `100tokens` or `2000bytes`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub stop_at: Option<Size>,
    /// Show nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show every step that makes the result smaller, and at the end what was tried in vain
    #[arg(short, long)]
    pub verbose: bool,
}

/// Resumes a run. Of its options, those that decide nothing are the new ones: it does not end early
/// again for the reason for which it did before.
///
/// # Errors
/// When there is no such run, or something has changed since.
pub fn resume(args: Resume) -> Result<Exit, Failure> {
    let past = Past::read(&args.journal).map_err(unusable)?;
    let place = std::path::absolute(&args.journal).unwrap_or(args.journal);
    let directory = return_to(&past)?;
    let mut cli = typed(&past)?;
    let arguments = past.header.arguments();
    drop(past);
    let (typed, way) = (Typed { directory, arguments }, Way::Resume(&place));
    let common = cli
        .common()
        .ok_or_else(|| Failure::new(Exit::Usage, format!("{} is of no search", place.display())))?;
    common.jobs = args.jobs.unwrap_or(common.jobs);
    (common.quiet, common.verbose) = (args.quiet, args.verbose);
    (common.max_tests, common.max_time) = (args.max_tests, args.max_time);
    let is_of_a_file = cli.command.is_none() && !cli.reduce.is_of_a_directory();
    if args.stop_at.is_some() && !is_of_a_file {
        return Err(Failure::new(Exit::Usage, "--stop-at is for reductions of single files"));
    }
    cli.reduce.stop_at = args.stop_at;
    search(cli, &typed, way)
}

/// Runs what is a search of any kind.
///
/// # Errors
/// Those of the search.
pub fn search(cli: Cli, typed: &Typed, way: Way<'_>) -> Result<Exit, Failure> {
    match cli.command {
        Some(Command::Isolate(args)) => isolate::run(*args, typed, way),
        Some(Command::Options(args)) => options::run(*args, typed, way),
        Some(Command::Events(args)) => events::run(*args, typed, way),
        Some(_) => unreachable!("other commands have no journal"),
        None if cli.reduce.is_of_a_directory() => directory::run(cli.reduce, typed, way),
        None => reduce::run(&Reduction::new(cli.reduce)?, typed, way),
    }
}

/// Goes back to the directory in which the run was begun.
///
/// # Errors
/// When it is gone.
pub fn return_to(past: &Past) -> Result<PathBuf, Failure> {
    let directory = past.header.directory();
    std::env::set_current_dir(&directory).map_err(|error| {
        let message = format!("the run began in {}: {error}", directory.display());
        Failure::new(Exit::Usage, message)
    })?;
    Ok(directory)
}

/// What was typed to begin a run.
///
/// # Errors
/// When it means nothing to this version.
pub fn typed(past: &Past) -> Result<Cli, Failure> {
    let words = [vec!["minirepro".into()], past.header.arguments()].concat();
    Cli::try_parse_from(words).map_err(|error| Failure::new(Exit::Usage, error))
}
