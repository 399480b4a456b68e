//! What all searches take from the command line in the same way: settings, sinks, and the way from
//! a run to an exit code.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use minirepro_program::{
    Budget, CancelToken, Controls, Error, Invocation, JournalPlace, Journaling, Languages, Mode,
    Pattern, Proposer, ProposerProgram, Rules, Scope, Settings, StopReason, TestLimits, Workers,
    sources,
};

use crate::args::{JournalArgs, Progress, RunArgs, ScopeArgs};
use crate::commands::test::GivenTest;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::report::document::evidence::Witness;
use crate::report::document::place::ReportPlace;
use crate::report::document::recorder::{Known, Recorder};
use crate::report::json_lines::JsonLines;
use crate::report::screen::console::Console;
use crate::report::screen::screen::{Screen, Surroundings};
use crate::report::shell::quote_all;
use crate::report::sinks::Sinks;
use crate::report::stats::Stats;
use crate::report::terminal::shown;
use crate::report::text::Text;
use crate::report::verbosity::Verbosity;

/// How a search is started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Whether it begins, goes on, or is looked at again.
    pub mode: Mode,
    /// How it was started first, for its journal.
    pub invocation: Invocation,
    /// The failure that an earlier part of the run has looked for, for a report.
    pub failure: String,
    /// The report that is wanted of a run that is decided again.
    pub wanted: Option<ReportPlace>,
    /// The languages that there are.
    pub languages: Languages,
}

/// What there is to show of a search.
#[derive(Default)]
pub struct Show<'a> {
    /// What the input is called.
    pub file: PathBuf,
    /// The algorithm of a reduction, for which there is a view on a whole screen.
    pub algorithm: &'static str,
    /// Whether both ends of an isolation are directories or revisions.
    pub are_versions: bool,
    /// The compiler of C or C++ that the test runs, if that is known.
    pub compiler: Option<String>,
    /// The test, if a report may ask it.
    pub test: Option<&'a GivenTest>,
    /// The failure that the test looks for, in words; empty if it has to be learnt.
    pub failure: String,
    /// The input, if it is a single text.
    pub input: Option<&'a [u8]>,
    /// Where the result of a reduction is.
    pub result: PathBuf,
}

impl Launch {
    /// Returns the input: what `read` gives, or for a run that is looked at again, or one that goes
    /// on and whose input can be read `only_once`, what it began with.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn input(
        &self,
        only_once: bool,
        read: impl FnOnce() -> Result<Vec<u8>, CliError>,
    ) -> Result<Vec<u8>, CliError> {
        match &self.mode {
            Mode::Begin => read(),
            Mode::Resume(_) if !only_once => read(),
            Mode::Resume(journal) | Mode::Replay(journal) | Mode::Verify(journal) => {
                Ok(sources::recorded_input(journal)?)
            }
        }
    }

    /// Returns where a report goes, if one is wanted.
    pub fn report(&self, run: &RunArgs) -> Option<ReportPlace> {
        match (&self.wanted, &run.report) {
            (Some(place), _) => Some(place.clone()),
            (None, Some(path)) if !self.mode.is_replay() => Some(ReportPlace {
                is_told: !run.quiet && run.progress != Some(Progress::Json),
                ..ReportPlace::of(path.clone())
            }),
            _ => None,
        }
    }

    /// Returns the settings that the options ask for, with Ctrl-C; `sinks` get what shows the run.
    ///
    /// # Errors
    /// If a file that is wanted cannot be written, or the system does not let us catch signals.
    pub fn settings<'a>(
        &self,
        run: &RunArgs,
        journal: &JournalArgs,
        show: Show<'_>,
        sinks: &'a mut Sinks,
    ) -> Result<Settings<'a>, CliError> {
        let settings = Settings::from(run);
        let report = self.report(run);
        report.as_ref().map_or(Ok(()), ReportPlace::check)?;
        let progress = if self.mode.is_replay() { Progress::Line } else { run.progress() };
        let has_screen = progress == Progress::Screen && !show.algorithm.is_empty();
        let console = if has_screen { Console::find() } else { None };
        let taken = console.clone();
        let stop = interrupt::watched(move || taken.iter().for_each(|it| it.give_back()))?;
        let controls = console.as_ref().map(|_| Controls::default());
        let also_written = also_written(run, report.as_ref());
        let file = shown(&show.file);
        if let Some(path) = &run.stats {
            sinks.add(Stats::new(path.clone(), &file, show.algorithm, settings.jobs)?);
        }
        if progress == Progress::Json {
            sinks.add(JsonLines::new(&file, settings.jobs));
        }
        if let (Some(console), Some(controls)) = (console, controls.clone()) {
            let around = Surroundings { console, stop: stop.clone(), controls };
            sinks.add(Screen::new(around, file));
        }
        sinks.add(Text {
            verbosity: Verbosity::of(run),
            may_be_live: progress != Progress::Plain,
            retry: settings.retry,
            are_versions: show.are_versions,
            compiler: show.compiler.clone(),
            begun: Instant::now(),
            progress: None,
            confidence: None,
            held: controls.as_ref().map(|_| Vec::new()),
        });
        if let Some(place) = report {
            sinks.add(Recorder::new(self.known(run, show, &place), place));
        }
        let (workers, files_of_workers) = workers(run)?;
        Ok(Settings {
            workers,
            journaling: self.journaling(journal),
            also_read: files_of_workers,
            also_written,
            languages: self.languages.clone(),
            stop: Some(stop),
            controls,
            observer: Some(Box::new(sinks)),
            ..settings
        })
    }

    fn journaling(&self, journal: &JournalArgs) -> Journaling {
        let place = journal.journal.clone();
        Journaling {
            mode: self.mode.clone(),
            journal: place.map_or(JournalPlace::BesideResult, JournalPlace::At),
            fresh: journal.fresh,
            invocation: self.invocation.clone(),
        }
    }

    /// Returns what a report knows of the run before it begins.
    fn known(&self, run: &RunArgs, show: Show<'_>, place: &ReportPlace) -> Known {
        let now = place.result.clone().unwrap_or(show.result);
        Known {
            started_with: format!("minirepro {}", quote_all(&self.invocation.arguments)),
            failure: if self.failure.is_empty() { show.failure } else { self.failure.clone() },
            result: self.wanted.is_some().then_some(now),
            input: show.input.map(Into::into),
            languages: self.languages.clone(),
            directory: self.invocation.directory.clone(),
            // It is asked after the end of a run as well that somebody has stopped.
            witness: show.test.zip(CancelToken::new().ok()).map(|(test, stop)| Witness {
                test: test.clone(),
                file: show.file,
                companions: run.with.clone(),
                limits: TestLimits::from(run).of_first_tests(),
                stop,
            }),
        }
    }
}

/// Returns what is written besides the results of a run, with names for messages.
fn also_written(run: &RunArgs, report: Option<&ReportPlace>) -> Vec<(&'static str, PathBuf)> {
    let place = report.filter(|place| !place.is_printed());
    let stats = run.stats.clone().map(|path| ("the figures of --stats", path));
    let place = place.map(|it| ("the report", it.path.clone()));
    stats.into_iter().chain(place).collect()
}

impl From<&RunArgs> for TestLimits {
    fn from(run: &RunArgs) -> Self {
        Self { time: run.timeout, memory: run.memory }
    }
}

impl From<&RunArgs> for Settings<'_> {
    fn from(run: &RunArgs) -> Self {
        Self {
            jobs: run.jobs.unwrap_or_else(processors),
            limits: run.into(),
            retry: run.repeat,
            budget: Budget {
                max_tests: run.max_tests,
                max_time: run.max_time,
                ..Budget::default()
            },
            companions: run.with.clone(),
            ..Self::default()
        }
    }
}

impl From<&ScopeArgs> for Scope {
    fn from(args: &ScopeArgs) -> Self {
        Self {
            granularity: args.granularity,
            without: args.skip_pass.clone(),
            kept: args.preserve.iter().map(|Pattern(regex)| regex.clone()).collect(),
        }
    }
}

/// Returns how many processors this process may use, by its affinity and its control group.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the workers that run tests instead of this process, and the files that name them.
///
/// # Errors
/// If a file of commands cannot be read, or holds none.
pub fn workers(run: &RunArgs) -> Result<(Workers, Vec<PathBuf>), CliError> {
    let (mut commands, mut files) = (Vec::new(), Vec::new());
    for given in run.workers.iter().filter(|given| *given != "none") {
        let Some(file) = given.strip_prefix('@') else {
            commands.extend(repeated(given));
            continue;
        };
        let wrong = |why: &dyn Display| CliError::usage(format_args!("--workers @{file}: {why}"));
        let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let all: Vec<String> = lines.flat_map(repeated).collect();
        if all.is_empty() {
            return Err(wrong(&"no line is a command"));
        }
        commands.extend(all);
        files.push(file.into());
    }
    Ok((Workers { commands, own_jobs: run.jobs.unwrap_or(0) }, files))
}

/// Returns the command of a worker as often as it says: `16*COMMAND` means sixteen. No command of a
/// shell begins so.
fn repeated(line: &str) -> impl Iterator<Item = String> + use<> {
    let times = line.split_once('*').and_then(|(times, command)| {
        let times: u16 = times.trim().parse().ok().filter(|&times| times > 0)?;
        Some((usize::from(times), command.trim_start()))
    });
    let (times, command) = times.unwrap_or((1, line));
    std::iter::repeat_n(command.to_owned(), times)
}

/// Reads files of rules, and those in directories of them.
///
/// # Errors
/// If one cannot be read, or is not a text.
pub fn rules(paths: &[PathBuf]) -> Result<Vec<Rules>, CliError> {
    let wrong = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| CliError::usage(format_args!("{path}: {error}"))
    };
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let inside = entries.map_err(wrong(path))?.into_iter().map(|entry| entry.path());
            let is_rules = |file: &PathBuf| file.extension().is_some_and(|suffix| suffix == "toml");
            let mut inside: Vec<PathBuf> = inside.filter(is_rules).collect();
            inside.sort();
            files.extend(inside);
        } else {
            files.push(path.clone());
        }
    }
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).map_err(wrong(file))?;
        Ok(Rules { origin: file.display().to_string(), text })
    };
    files.iter().map(read).collect()
}

/// Returns the programs that are asked for candidates.
pub fn proposers(args: &ScopeArgs) -> Vec<Box<dyn Proposer>> {
    let program = |command| Box::new(ProposerProgram::new(command)) as Box<dyn Proposer>;
    args.propose.iter().map(program).collect()
}

/// Returns a token that Ctrl-C sets.
///
/// # Errors
/// If the system does not let us catch signals.
pub fn stop() -> Result<CancelToken, CliError> {
    interrupt::watched(|| {})
}

/// Ends the sinks of a run that is over, and returns how to exit.
///
/// # Errors
/// If the run had no result, or something cannot be written.
pub fn conclude(sinks: Sinks, ended: Result<Option<StopReason>, Error>) -> Result<Exit, CliError> {
    let written = sinks.finish(ended.is_ok());
    let stopped = ended?;
    written?;
    Ok(match stopped {
        Some(StopReason::Interrupted) => Exit::Interrupted,
        _ => Exit::Done,
    })
}
