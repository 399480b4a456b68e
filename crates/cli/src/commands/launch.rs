//! What all searches take from the command line in the same way: settings, and the way from a run to
//! an exit code.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use minirepro::{
    Budget, CancelToken, Causes, Error, Format, Invocation, JournalPlace, Journaling, Mode,
    RetryPolicy, Rules, Scope, Settings, StopReason, TestLimits, sources,
};

use crate::args::{self, JournalArgs, RunArgs, ScopeArgs, Size, Which};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::report::reporter::{Reporter, Style};
use crate::report::stats;
use crate::report::terminal::shown;
use crate::report::verbosity::Verbosity;
use crate::system_error;

/// How a search is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Whether it begins, goes on, or is looked at again.
    pub mode: Mode,
    /// How it was started first, for its journal.
    pub invocation: Invocation,
    /// Where the result of a replay goes.
    pub replay_output: Option<PathBuf>,
}

impl Launch {
    /// Begins a search in the current directory with these words, the first of which is not the
    /// program's name.
    pub fn new(arguments: Vec<OsString>) -> Self {
        let directory = std::env::current_dir().unwrap_or_default();
        let invocation = Invocation { directory, arguments };
        Self { mode: Mode::Begin, invocation, replay_output: None }
    }

    /// Returns where the result goes: where it is wanted, or to the default place. A replay writes
    /// nothing unless it is asked to, a verification never does.
    pub fn output(
        &self,
        wanted: Option<PathBuf>,
        default: impl FnOnce() -> PathBuf,
    ) -> Option<PathBuf> {
        match &self.mode {
            Mode::Begin | Mode::Resume(_) => Some(wanted.unwrap_or_else(default)),
            Mode::Replay(_) => self.replay_output.clone(),
            Mode::Verify(_) => None,
        }
    }

    /// Returns the input: what `read` gives, or for a run that is looked at again what it began with.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn input(&self, read: impl FnOnce() -> Result<Vec<u8>, Error>) -> Result<Vec<u8>, Error> {
        match &self.mode {
            Mode::Begin | Mode::Resume(_) => read(),
            Mode::Replay(journal) | Mode::Verify(journal) => sources::recorded_input(journal),
        }
    }

    /// Returns the settings that the options ask for, with Ctrl-C and a reporter.
    ///
    /// # Errors
    /// If the file for the figures cannot be written, or the system does not let us catch signals.
    pub fn settings<'a>(
        &self,
        run: &RunArgs,
        journal: &JournalArgs,
        reporter: &'a mut Reporter,
    ) -> Result<Settings<'a>, CliError> {
        if let Some(path) = &run.stats {
            stats::check(path).map_err(|error| CliError::new(Exit::NotWritten, error))?;
            if stats::would_be_lost(path) {
                let path = path.display();
                let message =
                    format!("--stats {path}: it holds something else than figures of minirepro");
                let advice = "Name another file, or remove this one.\n";
                return Err(CliError::usage(message).advise(advice));
            }
        }
        let place = match &journal.journal {
            Some(place) => JournalPlace::At(place.clone()),
            None => JournalPlace::BesideResult,
        };
        Ok(Settings {
            jobs: jobs(run),
            limits: limits(run),
            retry: retry(run),
            budget: budget(run, None),
            journaling: Journaling {
                mode: self.mode.clone(),
                journal: place,
                fresh: journal.fresh,
                cache: journal.cache.clone(),
                trusts_cache: journal.trust_cache,
                invocation: self.invocation.clone(),
            },
            companions: run.with.clone(),
            stop: Some(stop()?),
            observer: Some(Box::new(reporter)),
            ..Settings::default()
        })
    }
}

/// Returns how many tests run at the same time: as many as asked for, or as there are processors for this
/// process, by its affinity and its control group.
pub fn jobs(run: &RunArgs) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    run.jobs.unwrap_or_else(processors)
}

/// Returns what a test may use.
pub fn limits(run: &RunArgs) -> TestLimits {
    TestLimits {
        time: run.timeout,
        cpu: run.cpu_time,
        memory: run.memory,
        file: run.file_size,
        output: run.output_size,
        processes: run.processes,
    }
}

/// Returns how often a candidate is tested.
pub fn retry(run: &RunArgs) -> RetryPolicy {
    match run.min_failure_rate {
        Some(rate) => RetryPolicy::Rate(rate),
        None => RetryPolicy::Repeat(run.repeat),
    }
}

/// Returns when to stop early.
pub fn budget(run: &RunArgs, until_size: Option<Size>) -> Budget {
    let (stop_at_tokens, stop_at_bytes) = match until_size {
        Some(Size::Tokens(tokens)) => (Some(tokens), None),
        Some(Size::Bytes(bytes)) => (None, Some(bytes)),
        None => (None, None),
    };
    Budget { max_tests: run.max_tests, max_time: run.max_time, stop_at_tokens, stop_at_bytes }
}

/// Returns which edits are tried.
pub fn scope(args: &ScopeArgs) -> Scope {
    Scope {
        allow_broken: args.allow_syntax_errors,
        thorough: args.thorough,
        granularity: args.granularity,
        effort: args.effort,
        minimality: args.minimality,
        without: args.skip_pass.clone(),
        kept: args.preserve.clone(),
    }
}

/// Reads files of rules.
///
/// # Errors
/// If one cannot be read, or is no text.
pub fn rules(files: &[PathBuf]) -> Result<Vec<Rules>, CliError> {
    let read = |file: &PathBuf| {
        let origin = file.display().to_string();
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| CliError::usage(format_args!("{origin}: {error}")))?;
        Ok(Rules { origin, text })
    };
    files.iter().map(read).collect()
}

/// Returns which causes are wanted.
pub fn causes(which: Option<Which>) -> Causes {
    match which {
        None => Causes::First,
        Some(Which::Each) => Causes::Each,
        Some(Which::Smallest) => Causes::Smallest,
    }
}

/// Returns how results are formatted.
pub fn format(format: args::Format) -> Format {
    match format {
        args::Format::Keep => Format::Keep,
        args::Format::Plain => Format::Plain,
        args::Format::Layout => Format::Layout,
    }
}

/// Returns how a run is shown; `file` is what the input is called.
pub fn style(run: &RunArgs, file: &Path, color: args::Color) -> Style {
    Style {
        verbosity: Verbosity::of(run),
        color: color.is_on(),
        file: shown(file),
        algorithm: "",
        jobs: jobs(run),
        retry: retry(run),
        are_versions: false,
    }
}

/// Returns a token that Ctrl-C sets.
///
/// # Errors
/// If the system does not let us catch signals.
pub fn stop() -> Result<CancelToken, CliError> {
    let refused = |error: io::Error| {
        CliError::new(Exit::BrokenTest, format_args!("cannot catch signals: {error}"))
            .advise(system_error::advice_on(&error))
    };
    let stop = CancelToken::new().map_err(refused)?;
    interrupt::watch(stop.clone()).map_err(refused)?;
    Ok(stop)
}

/// Writes the figures of a run that is over, and returns how to exit.
///
/// # Errors
/// If the run had no result, or the figures cannot be written.
pub fn conclude(
    reporter: Reporter,
    stats_file: Option<&Path>,
    ended: Result<Option<StopReason>, Error>,
) -> Result<Exit, CliError> {
    let written = match (stats_file, reporter.into_stats()) {
        (Some(path), Some(json)) => stats::write(path, &json),
        _ => Ok(()),
    };
    let stopped = ended?;
    written.map_err(|error| CliError::new(Exit::NotWritten, error))?;
    Ok(match stopped {
        Some(StopReason::Interrupted) => Exit::Interrupted,
        _ => Exit::Done,
    })
}
