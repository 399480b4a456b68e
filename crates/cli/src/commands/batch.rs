//! `minirepro batch`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use minirepro_program::batch::{
    Batch as Request, BatchError, BatchEvent, BatchOutcome, Bug, JobKind, JobPlan,
};
use minirepro_program::{
    Format, Invocation, OutputFile, RetryPolicy, Settings, StopReason, TestSpec,
};

use crate::args::{Batch, FailureArgs, RunArgs, Stack};
use crate::commands::languages::languages;
use crate::commands::launch::{stop, workers};
use crate::commands::look_back::write_report;
use crate::commands::reduce::language;
use crate::commands::test::specified;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::batch::{Listing, junit, page, text};
use crate::report::numbers::{count, counted};
use crate::report::reason::stopped;
use crate::report::shell::{quote, quote_all};
use crate::report::terminal::{output, say, shown};

/// Runs `minirepro batch`.
///
/// # Errors
/// If there are no results.
pub fn run(args: &Batch) -> Result<Exit, CliError> {
    check_options(&args.run)?;
    let failure = FailureArgs {
        stack_frames: Stack { frames: args.stack_frames, place: false },
        require: args.require.clone(),
        ..FailureArgs::default()
    };
    let test = match &args.test {
        Some(script) => TestSpec::script(script),
        None => specified(TestSpec::command(&args.program), &failure)?,
    };
    let place = args.output.clone().unwrap_or_else(|| default_output(&args.inputs));
    let languages = languages(&args.grammar.grammar)?;
    let first = args.inputs.first().map_or(Path::new(""), PathBuf::as_path);
    let directory = std::env::current_dir().unwrap_or_default();
    let invocation =
        |plan: &JobPlan| Invocation { directory: directory.clone(), arguments: alone(args, plan) };
    let teller = Teller { is_quiet: args.run.quiet, told: Mutex::new(0) };
    let settings = Settings::from(&args.run);
    let request = Request {
        inputs: args.inputs.clone(),
        test,
        output: place.clone(),
        language: language(&languages, first, args.lang.clone()),
        format: Format::Auto,
        new_since: args.new_since.clone(),
        jobs: settings.jobs,
        workers: workers(&args.run)?,
        limits: settings.limits,
        retry: settings.retry,
        companions: settings.companions,
        languages,
        max_time: args.run.max_time,
        stop: stop()?,
        invocation: &invocation,
        observer: &|event| teller.tell(event),
    };
    let outcome = request.run().map_err(|error| batch_error(error, &place))?;
    publish(args, &outcome, &place)?;
    if let Some(why) = outcome.stopped {
        say!("  not complete: {}; the same command goes on", stopped(why));
        if why == StopReason::Interrupted {
            return Ok(Exit::Interrupted);
        }
    }
    let counts = |bug: &Bug| bug.is_new.unwrap_or(true);
    Ok(if outcome.bugs.bugs.iter().any(counts) { Exit::Bugs } else { Exit::Done })
}

/// Writes the reports of all bugs and the lists of them.
fn publish(args: &Batch, outcome: &BatchOutcome, place: &Path) -> Result<(), CliError> {
    for bug in &outcome.bugs.bugs {
        leave(args, bug, place)?;
    }
    let listing = Listing::of(outcome, args.new_since.is_some());
    let title = args.inputs.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ");
    write(&place.join("index.html"), &page(&listing, &title))?;
    write(&place.join("junit.xml"), &junit(&listing, &title, outcome.took))?;
    output(format_args!("{}", text(&listing)));
    if !args.run.quiet {
        say!("  results: {}", shown(place));
    }
    Ok(())
}

/// Refuses options that only a single run has.
fn check_options(run: &RunArgs) -> Result<(), CliError> {
    let given = [
        ("--stats", run.stats.is_some()),
        ("--report", run.report.is_some()),
        ("--max-tests", run.max_tests.is_some()),
        ("--progress", run.progress.is_some() || run.plain),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(CliError::usage(format_args!(
            "{option} is an option of single runs, not of a batch"
        ))
        .advise("A batch writes bugs.json, junit.xml and a report for each bug anyway.\n")),
    }
}

/// Returns where the results go by default.
fn default_output(inputs: &[PathBuf]) -> PathBuf {
    let first = inputs.first().and_then(|path| path.file_name());
    let mut name = first.map_or_else(|| OsString::from("minirepro"), OsString::from);
    name.push(".bugs");
    inputs.first().map_or_else(PathBuf::new, PathBuf::clone).with_file_name(name)
}

/// Returns the arguments with which one reduction of the batch could have been started alone.
fn alone(args: &Batch, plan: &JobPlan) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut add = |option: &str, value: OsString| {
        words.extend([OsString::from(option), value]);
    };
    add("--output", plan.output.clone().into());
    add("--journal", plan.journal.clone().into());
    if let Some(lang) = &args.lang {
        add("--lang", lang.into());
    }
    for path in &args.grammar.grammar {
        add("--grammar", path.into());
    }
    for path in &args.run.with {
        add("--with", path.into());
    }
    let seconds = |time: std::time::Duration| time.as_secs_f64().to_string().into();
    if let Some(time) = args.run.timeout {
        add("--timeout", seconds(time));
    }
    match args.run.repeat {
        RetryPolicy::Rate(rate) => add("--repeat", rate.to_string().into()),
        RetryPolicy::Repeat(times) if plan.repeat.max(times) > 1 => {
            add("--repeat", plan.repeat.max(times).to_string().into());
        }
        RetryPolicy::Repeat(_) => {}
    }
    if let Some(tokens) = plan.until_tokens {
        add("--until-size", format!("{tokens}tokens").into());
    }
    let script = match &args.test {
        Some(test) if plan.is_script => {
            words.extend([test.into(), plan.input.clone().into()]);
            return words;
        }
        Some(test) => Some(std::path::absolute(test).unwrap_or_else(|_| test.clone())),
        None => None,
    };
    for command in &args.require {
        add("--require", command.into());
    }
    let frames = if plan.kind == JobKind::AnyCaller { 1 } else { args.stack_frames };
    let place = if plan.kind == JobKind::Exact && !plan.is_hang { ",place" } else { "" };
    add("--stack-frames", format!("{frames}{place}").into());
    words.extend(plan.is_hang.then(|| "--hang".into()));
    words.extend([plan.input.clone().into(), "--".into()]);
    match script {
        Some(script) => words.extend([script.into(), "@@".into()]),
        None => words.extend(args.program.iter().cloned()),
    }
    words
}

/// Writes the reports of a bug, and the command that shows it.
fn leave(args: &Batch, bug: &Bug, place: &Path) -> Result<(), CliError> {
    let directory = place.join(&bug.name);
    let reproducer = std::path::absolute(place.join(&bug.reproducer));
    let reproducer = reproducer.unwrap_or_else(|_| place.join(&bug.reproducer));
    let words = match &args.test {
        Some(test) => vec![test.clone().into_os_string(), reproducer.clone().into_os_string()],
        None => minirepro_program::shell::words_with_name(&args.program, reproducer.as_os_str()),
    };
    let here = std::env::current_dir().unwrap_or_default();
    let command = format!("#!/bin/sh\ncd {} && {}\n", quote(here.as_os_str()), quote_all(&words));
    write(&directory.join("command.sh"), &command)?;
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
        say!("no report of {}: {}", bug.name, error.to_string().trim_end());
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    OutputFile::new(path, path)
        .write(text.as_bytes())
        .map_err(|error| CliError::new(Exit::NotWritten, error))
}

/// Shows how far a batch has come.
struct Teller {
    is_quiet: bool,
    /// Tenths of the runs that were shown.
    told: Mutex<usize>,
}

impl Teller {
    fn tell(&self, event: &BatchEvent<'_>) {
        if self.is_quiet {
            return;
        }
        match *event {
            BatchEvent::Read { inputs, ignored } => {
                say!("{}, each is run twice", counted(inputs as u64, "different input"));
                if let Some((path, why)) = ignored.first() {
                    let number = counted(ignored.len() as u64, "file");
                    say!("  {number} left out: {}: {why}", shown(path));
                }
            }
            BatchEvent::Ran { runs, of } => {
                let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
                let tenth = runs * 10 / of.max(1);
                if tenth > *told && of >= 100 {
                    *told = tenth;
                    say!("  {} of {} runs", count(runs as u64), count(of as u64));
                }
            }
            BatchEvent::Sorted { failing, variants, families } => {
                say!(
                    "{} in {}, of {}",
                    counted(failing as u64, "failing input"),
                    counted(variants as u64, "kind"),
                    counted(families as u64, "message"),
                );
            }
            BatchEvent::Reduced { plan, bytes, tests, error } => match error {
                // It begins with a result of which something was said.
                None if plan.kind == JobKind::AnyCaller => {}
                None => say!(
                    "  {}: {} after {}",
                    shown(&plan.input),
                    counted(bytes, "byte"),
                    counted(tests, "test")
                ),
                Some(error) => say!("  {}: {error}", shown(&plan.input)),
            },
        }
    }
}

/// Says what went wrong, and what to do.
fn batch_error(error: BatchError, place: &Path) -> CliError {
    let place = shown(place);
    let (exit, advice) = match error {
        BatchError::Run(error) => return error.into(),
        BatchError::Output(_) => (Exit::NotWritten, String::new()),
        BatchError::Log(..) | BatchError::OutputTaken(_) => (
            Exit::Usage,
            format!("Name another directory with -o, or remove {place} to begin anew.\n"),
        ),
        BatchError::OutputIsInput(_) => {
            (Exit::Usage, "Name a directory outside of the inputs with -o.\n".to_owned())
        }
        _ => (Exit::Usage, String::new()),
    };
    CliError::new(exit, error).advise(advice)
}
