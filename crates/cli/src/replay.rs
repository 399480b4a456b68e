//! `minirepro replay`: a run is decided again by its journal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use minirepro_engine::{Budget, Engine, Plan};
use minirepro_runner::{Digest, Output, Past, Recalled, Tally, replay as decide};

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::figures::counted;
use crate::keep::{Typed, Way, unusable};
use crate::plan::Reduction;
use crate::resume::{return_to, search, typed};
use crate::summary;

/// Decides a run again by its journal, without any test: it must end the same.
#[derive(Debug, Args)]
pub struct Replay {
    /// The directory of the journal
    #[arg(value_name = "DIR")]
    pub journal: PathBuf,
    /// Where the result goes; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

/// Replays a run.
///
/// # Errors
/// When there is no such run, or it ends otherwise than it did.
pub fn replay(args: &Replay) -> Result<Exit, Failure> {
    let past = Past::read(&args.journal).map_err(unusable)?;
    let cli = typed(&past)?;
    if !cli.is_of_a_file(&past) {
        return search_again(&args.journal, args.output.as_deref(), &past, cli, false);
    }
    let (reduction, engine, took, complete) = again(&args.journal, &past)?;
    let (mut summary, best) = (engine.summary(), engine.best());
    match (&past.end, complete) {
        (Some(end), true) => summary.stopped.clone_from(&end.stopped),
        (None, false) => summary.stopped = Some("the journal ends here".into()),
        _ => {}
    }
    let name = reduction.file.display().to_string();
    let tally = Tally { tests: summary.tests, time: took, ..Tally::default() };
    eprint!("{}", summary::text(&name, &summary, &tally, Recalled::default(), took));
    write(args.output.as_deref(), &reduction.file, &best)?;
    judge(&past, &best, summary.tests, complete)
}

/// Decides a run of several sessions again, whose results go elsewhere, and `verifies` them or not.
///
/// # Errors
/// When something has changed since, or it does not hold.
pub fn search_again(
    journal: &Path,
    output: Option<&Path>,
    past: &Past,
    mut cli: Cli,
    verifies: bool,
) -> Result<Exit, Failure> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (place, wanted) = (absolute(journal), output.map(absolute));
    let directory = return_to(past)?;
    let elsewhere = tempfile::tempdir().map_err(|error| Failure::new(Exit::NotWritten, error))?;
    if let Some(common) = cli.common() {
        (common.jobs, common.max_time, common.stats) = (1, None, None);
        (common.quiet, common.verbose) = (true, false);
    }
    let file_name = |path: &Path| elsewhere.path().join(path.file_name().unwrap_or_default());
    let output = match &mut cli.command {
        Some(Command::Isolate(args)) => Some((&mut args.output, args.fail.clone())),
        Some(Command::Events(args)) => Some((&mut args.output, "result.log".into())),
        Some(_) => None,
        None => Some((&mut cli.reduce.output, "result".into())),
    };
    match (output, wanted) {
        (Some((output, like)), wanted) => *output = Some(wanted.unwrap_or(file_name(&like))),
        (None, None) => {}
        (None, Some(_)) => {
            let message = "-o: the result of this search is what it prints";
            return Err(Failure::new(Exit::Usage, message));
        }
    }
    let typed = Typed { directory, arguments: past.header.arguments() };
    let way = if verifies { Way::Verify(&place) } else { Way::Replay(&place) };
    search(cli, &typed, way)
}

/// Decides the run again: what it was asked to do, the session, the time that its tests had taken, and
/// whether it comes as far as the run did.
///
/// # Errors
/// When the input is gone or the words that began the run mean nothing any more.
pub fn again(place: &Path, past: &Past) -> Result<(Reduction, Engine, Duration, bool), Failure> {
    let input = Past::input(place).map_err(unusable)?;
    let reduction = Reduction::with_input(typed(past)?.reduce, |_| Ok(input))?;
    // Look-ahead may have found answers that the run did not come to use.
    let ended = past.end.as_ref().filter(|end| end.stopped.is_some());
    let budget = Budget { max_tests: ended.map(|end| end.tests), ..Budget::default() };
    let mut engine = Engine::new(Plan { jobs: 1, budget, ..reduction.plan.clone() });
    let mut took = Duration::ZERO;
    let complete = decide(&mut engine, past, &mut |_, now| took = now);
    Ok((reduction, engine, took, complete))
}

/// Whether the run has ended as it did.
///
/// # Errors
/// When it has not.
pub fn judge(past: &Past, best: &[u8], tests: u64, complete: bool) -> Result<Exit, Failure> {
    let same = |end: &minirepro_runner::End| end.result == Digest::of(best) && end.tests == tests;
    match &past.end {
        Some(end) if complete && same(end) => {
            eprintln!("  replayed: the same result after the same number of tests");
            Ok(Exit::Reduced)
        }
        Some(end) if end.stopped.is_some() => {
            eprintln!("  replayed as far as the answers lead: the run ended early");
            Ok(Exit::Reduced)
        }
        None => {
            let torn = if past.torn > 0 {
                format!(", with {} of a line at its end", counted(past.torn, "byte"))
            } else {
                String::new()
            };
            eprintln!("  replayed up to where the run was killed{torn}");
            Ok(Exit::Reduced)
        }
        Some(end) => {
            let what = if complete { "another result" } else { "a question without an answer" };
            let message = format!(
                "the journal leads to {what} after {}; the run ended after {}",
                counted(tests, "test"),
                counted(end.tests, "test"),
            );
            let (then, now) = (&past.header.minirepro, env!("CARGO_PKG_VERSION"));
            let advice = if then == now {
                String::new()
            } else {
                format!("The run was made by minirepro {then}, this is {now}.\n")
            };
            Err(Failure::new(Exit::DoesNotHold, message).advise(advice))
        }
    }
}

fn write(output: Option<&Path>, like: &Path, best: &[u8]) -> Result<(), Failure> {
    let written = match output {
        None => Ok(()),
        Some(path) if path == Path::new("-") => {
            io::stdout().write_all(best).map_err(|error| error.to_string())
        }
        Some(path) => Output::new(path, like).write(best).map_err(|error| error.to_string()),
    };
    written.map_err(|error| Failure::new(Exit::NotWritten, error))
}
