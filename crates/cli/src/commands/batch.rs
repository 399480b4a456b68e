//! `minirepro batch`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use minirepro_program::batch::{
    Batch as Request, BatchError, BatchEvent, BatchOutcome, Bug, JobKind, JobPlan,
};
use minirepro_program::shell::words_with_name;
use minirepro_program::{Invocation, RetryPolicy, Settings, StopReason, Test, TestSpec};

use crate::args::{Batch, FailureArgs, RunArgs, Stack};
use crate::commands::launch::{Launch, stop, workers};
use crate::commands::past::write_report;
use crate::commands::reduce::language;
use crate::commands::refuse;
use crate::commands::source::absolute;
use crate::commands::test::{GivenTest, of_page, specified};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::batch::{Listing, junit, page, text};
use crate::report::files::write;
use crate::report::numbers::{count, counted};
use crate::report::reason::stopped;
use crate::report::shell::{quote, quote_all};
use crate::report::terminal::{output, say, shown};

/// Runs `minirepro batch`, or writes again what its journal holds.
///
/// # Errors
/// If there are no results.
pub fn run(args: &Batch, launch: &Launch) -> Result<Exit, CliError> {
    check_options(&args.run)?;
    let given = given(args)?;
    let test = &*given;
    let place = args.output.clone().unwrap_or_else(|| default_output(&args.inputs));
    let languages = launch.languages.clone();
    let first = args.inputs.first().map_or(Path::new(""), PathBuf::as_path);
    let told = AtomicUsize::new(0);
    let stop = stop()?;
    if launch.mode.is_replay() {
        // Nothing is run: what is known is all that there is.
        stop.set();
    }
    let settings = Settings::from(&args.run);
    let request = Request {
        inputs: args.inputs.clone(),
        test,
        output: place.clone(),
        language: language(&languages, first, args.language.lang.clone(), Some(test)),
        new_since: args.new_since.clone(),
        jobs: settings.jobs,
        workers: workers(&args.run)?.0,
        limits: settings.limits,
        retry: settings.retry,
        companions: settings.companions,
        languages,
        max_time: args.run.max_time,
        stop,
        began_as: launch.invocation.clone(),
        alone: &|plan| Invocation {
            arguments: alone(args, test, plan),
            ..launch.invocation.clone()
        },
        observer: &|event| {
            if !args.run.quiet {
                tell(event, &told);
            }
        },
    };
    let outcome = request.run().map_err(|error| match error {
        BatchError::Run(error) => error.into(),
        error => CliError::of(&error),
    })?;
    publish(args, test, &outcome, &place)?;
    if let Some(why) = outcome.stopped {
        say!("  not complete: {}; the same command goes on", stopped(why));
        if why == StopReason::Interrupted {
            return Ok(Exit::Interrupted);
        }
    }
    let counts = |bug: &Bug| bug.is_new.unwrap_or(true);
    Ok(if outcome.bugs.bugs.iter().any(counts) { Exit::Bugs } else { Exit::Done })
}

/// Returns the test that says of an input whether it fails.
fn given(args: &Batch) -> Result<GivenTest, CliError> {
    let failure = FailureArgs {
        stack_frames: Stack { frames: args.stack_frames, place: false },
        require: args.require.clone(),
        ..FailureArgs::default()
    };
    if let Some(page) = of_page(&args.page, &args.run, &failure, &args.program, Path::new(""))? {
        return Ok(page);
    }
    Ok(Arc::new(match &args.test {
        Some(script) => TestSpec::script(script),
        None => specified(TestSpec::command(&args.program), &failure),
    }))
}

/// Writes the reports of all bugs and the lists of them.
fn publish(
    args: &Batch,
    test: &dyn Test,
    outcome: &BatchOutcome,
    place: &Path,
) -> Result<(), CliError> {
    for bug in &outcome.bugs.bugs {
        leave(test, bug, place)?;
    }
    let listing = Listing::of(outcome, args.new_since.is_some());
    let title = args.inputs.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ");
    write(&place.join("index.html"), page(&listing, &title).as_bytes())?;
    write(&place.join("junit.xml"), junit(&listing, &title, outcome.took).as_bytes())?;
    output(format_args!("{}", text(&listing)));
    if !args.run.quiet {
        say!("  results: {}", shown(place));
    }
    Ok(())
}

/// Refuses options that only a single run has.
fn check_options(run: &RunArgs) -> Result<(), CliError> {
    // Variables are for all runs, those of batches among them.
    let is_typed = std::env::var_os("MINIREPRO_PROGRESS").is_none();
    let options = [
        (run.stats.is_some(), "--stats"),
        (run.report.is_some(), "--report"),
        (run.max_tests.is_some(), "--max-tests"),
        (run.progress.is_some() && is_typed || run.plain, "--progress"),
    ];
    let advice = "A batch writes bugs.json, junit.xml and a report for each bug anyway.\n";
    refuse(&options, "is an option of single runs, not of a batch")
        .map_err(|error| error.advise(advice))
}

/// Returns where the results go by default.
fn default_output(inputs: &[PathBuf]) -> PathBuf {
    let first = inputs.first().cloned().unwrap_or_default();
    let mut name = first.file_name().unwrap_or("minirepro".as_ref()).to_owned();
    name.push(".bugs");
    first.with_file_name(name)
}

/// Returns the arguments with which one reduction of the batch could have been started alone.
fn alone(args: &Batch, test: &dyn Test, plan: &JobPlan) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    add(&mut words, "--output", [&plan.output]);
    add(&mut words, "--journal", [&plan.journal]);
    add(&mut words, "--lang", &args.language.lang);
    add(&mut words, "--grammar", &args.language.grammar);
    add(&mut words, "--with", &args.run.with);
    let repeat = match args.run.repeat {
        RetryPolicy::Rate(rate) => Some(rate.to_string()),
        RetryPolicy::Repeat(times) => {
            let times = plan.repeat.max(times);
            (times > 1).then(|| times.to_string())
        }
    };
    add(&mut words, "--repeat", repeat);
    add(&mut words, "--until-size", plan.until_tokens.map(|tokens| format!("{tokens}tokens")));
    if test.spec().is_none() {
        // Behind `minirepro page @@` are all options of a page.
        words.extend(test.command().into_iter().skip(3).chain([plan.input.clone().into()]));
        return words;
    }
    add(&mut words, "--timeout", args.run.timeout.map(|time| time.as_secs_f64().to_string()));
    if let (Some(test), true) = (&args.test, plan.is_script) {
        words.extend([test.into(), plan.input.clone().into()]);
        return words;
    }
    add(&mut words, "--require", &args.require);
    let frames = if plan.kind == JobKind::AnyCaller { 1 } else { args.stack_frames };
    let place = if plan.kind == JobKind::Exact && !plan.is_hang { ",place" } else { "" };
    add(&mut words, "--stack-frames", [format!("{frames}{place}")]);
    words.extend(plan.is_hang.then(|| "--hang".into()));
    words.extend([plan.input.clone().into(), "--".into()]);
    match &args.test {
        Some(script) => words.extend([absolute(script).into(), "@@".into()]),
        None => words.extend(args.program.iter().cloned()),
    }
    words
}

/// Adds an option with each of its values.
fn add<W: Into<OsString>>(
    words: &mut Vec<OsString>,
    option: &str,
    values: impl IntoIterator<Item = W>,
) {
    words.extend(values.into_iter().flat_map(|value| [option.into(), value.into()]));
}

/// Writes the reports of a bug, and the command that shows it.
fn leave(test: &dyn Test, bug: &Bug, place: &Path) -> Result<(), CliError> {
    let directory = place.join(&bug.name);
    let reproducer = absolute(place.join(&bug.reproducer));
    let words = words_with_name(&test.command(), reproducer.as_os_str());
    let here = std::env::current_dir().unwrap_or_default();
    let command = format!("#!/bin/sh\ncd {} && {}\n", quote(here.as_os_str()), quote_all(&words));
    write(&directory.join("command.sh"), command.as_bytes())?;
    if bug.error.is_some() {
        return Ok(());
    }
    let journal = place.join(&bug.journal);
    let path = directory.join("report.html");
    // The journal does not change any more, unless the reproducer does.
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let times = time(&path).zip(time(&journal.join("journal")));
    if times.is_none_or(|(report, journal)| report < journal)
        && let Err(error) = write_report(&journal, &path, &reproducer)
    {
        say!("no report of {}: {}", bug.name, error.text.trim_end());
    }
    Ok(())
}

/// Shows how far a batch has come; `told` counts the tenths of the runs that were shown.
fn tell(event: &BatchEvent<'_>, told: &AtomicUsize) {
    match *event {
        BatchEvent::Read { inputs, ignored } => {
            say!("{}, each is run twice", counted(inputs as u64, "different input"));
            if let Some((path, why)) = ignored.first() {
                let number = counted(ignored.len() as u64, "file");
                say!("  {number} left out: {}: {why}", shown(path));
            }
        }
        BatchEvent::Ran { runs, of } => {
            let tenth = runs * 10 / of.max(1);
            if of >= 100 && told.fetch_max(tenth, Ordering::Relaxed) < tenth {
                say!("  {} of {} runs", count(runs as u64), count(of as u64));
            }
        }
        BatchEvent::Sorted { failing, variants, families } => {
            let [variants, families] = [(variants, "kind"), (families, "message")]
                .map(|(number, thing)| counted(number as u64, thing));
            say!("{} in {variants}, of {families}", counted(failing as u64, "failing input"));
        }
        // It begins with a result of which something was said.
        BatchEvent::Reduced { plan, record }
            if record.error.is_none() && plan.kind == JobKind::AnyCaller => {}
        BatchEvent::Reduced { plan, record } => {
            let (bytes, tests) = (counted(record.bytes, "byte"), counted(record.tests, "test"));
            let became = record.error.clone().unwrap_or(format!("{bytes} after {tests}"));
            say!("  {}: {became}", shown(&plan.input));
        }
    }
}
