//! `minirepro verify`.

use std::path::Path;
use std::time::{Duration, Instant};

use minirepro_program::{Mode, Reduction};

use crate::args::{Color, JournalArgs, Verify};
use crate::commands::consent;
use crate::commands::languages::languages;
use crate::commands::launch::{Launch, rules, scope, style};
#[cfg(feature = "browser")]
use crate::commands::page;
use crate::commands::read_run::{read_run, return_to};
use crate::commands::reduce::language;
use crate::commands::search::search;
use crate::commands::source::Source;
use crate::commands::test::{of_page, resolve};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::junit::{Checked, junit};
use crate::report::reporter::Reporter;
use crate::report::stats;
use crate::report::terminal::shown;

/// Runs `minirepro verify`.
///
/// # Errors
/// If the result is not minimal, does not reproduce, or cannot be tested.
pub fn run(args: Verify) -> Result<Exit, CliError> {
    let Some(file) = args.junit.clone() else { return verify(args) };
    let path = std::path::absolute(&file).unwrap_or(file);
    check_junit(&path)?;
    let name = shown(args.file.as_deref().unwrap_or(&args.first));
    let start = Instant::now();
    let verified = verify(args);
    let text = verified.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let checked = match &verified {
        Ok(_) => Checked::Holds,
        Err(error) if error.exit == Exit::DoesNotHold => Checked::Fails(&text),
        Err(_) => Checked::Broken(&text),
    };
    write_junit(&path, "verify", &name, checked, start.elapsed())?;
    verified
}

/// Checks that a JUnit file can be written, and that nothing else is lost by it.
///
/// # Errors
/// If it cannot be written, or something else has its name.
pub fn check_junit(path: &Path) -> Result<(), CliError> {
    stats::check(path).map_err(|error| CliError::new(Exit::NotWritten, error))?;
    let there = if path.is_file() {
        minirepro_program::sources::file(path).unwrap_or_default()
    } else {
        Vec::new()
    };
    if there.is_empty() || String::from_utf8_lossy(&there).contains("<testsuites") {
        return Ok(());
    }
    let message = format_args!("{} is there already, and is no JUnit file", shown(path));
    Err(CliError::usage(message).advise("Name another file, or remove this one.\n"))
}

/// Writes a JUnit file.
///
/// # Errors
/// If it cannot be written.
pub fn write_junit(
    path: &Path,
    what: &str,
    name: &str,
    checked: Checked<'_>,
    took: Duration,
) -> Result<(), CliError> {
    let text = junit(what, name, checked, took)
        .map_err(|error| CliError::new(Exit::NotWritten, format_args!("no JUnit file: {error}")))?;
    stats::write(path, &text).map_err(|error| CliError::new(Exit::NotWritten, error))
}

#[cfg_attr(not(feature = "browser"), expect(unused_mut, reason = "only pages say more"))]
fn verify(mut args: Verify) -> Result<Exit, CliError> {
    if args.run.workers.are_given() {
        return Err(CliError::usage("a result is verified on this machine, without --workers"));
    }
    if args.file.is_none()
        && args.program.is_empty()
        && args.first.is_dir()
        && !args.page.are_given()
    {
        return verify_run(args);
    }
    let timed = args.page.clone().timeout(args.run.timeout);
    let (test, file) = match of_page(&timed, &args.first)? {
        Some(test) => (test, args.first),
        None => resolve(Some(args.first), args.file, args.program, &args.failure)?,
    };
    let launch = Launch { languages: languages(&args.grammar.grammar)?, ..Launch::new(Vec::new()) };
    let source = Source::named(file, args.lang.as_deref(), &launch.languages)?;
    let input = source.read(&launch)?;
    let file = source.file;
    #[cfg(feature = "browser")]
    if timed.are_given() {
        page::read_as_page(&input, &mut args.lang, &mut args.scope, false);
    }
    let mut reporter = Reporter::new(style(&args.run, &file, Color::Never));
    let journal = JournalArgs::default();
    let request = Reduction {
        file: file.clone(),
        language: language(&launch.languages, &file, args.lang, None),
        rules: rules(&args.scope.rules)?,
        scope: scope(&args.scope),
        settings: launch.settings(&args.run, &journal, &mut reporter)?,
        ..Reduction::new(input)
    };
    request.verify_with(test.as_test())?;
    Ok(Exit::Done)
}

/// Verifies the results of the run of a journal.
fn verify_run(args: Verify) -> Result<Exit, CliError> {
    let (mut cli, invocation) = read_run(&args.first)?;
    consent::check(&args.first, &cli, &invocation, args.yes, args.run.quiet)?;
    let mode = Mode::Verify(std::path::absolute(&args.first).unwrap_or(args.first));
    return_to(&invocation.directory)?;
    if let Some(run) = cli.run_args() {
        run.jobs = args.run.jobs.or(run.jobs);
        run.workers = args.run.workers;
        run.max_tests = args.run.max_tests;
        run.max_time = args.run.max_time;
        run.stats = None;
        run.quiet = args.run.quiet;
        run.verbose = args.run.verbose;
    }
    search(cli, &Launch { mode, ..Launch::again(invocation) })
}
