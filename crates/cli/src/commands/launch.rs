//! What all searches take from the command line in the same way: settings, sinks, and the way from
//! a run to an exit code.

use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_program::{
    Budget, CancelToken, Controls, Error, Invocation, JournalPlace, Journaling, Languages, Mode,
    Proposer, ProposerProgram, Rules, Scope, Settings, StopReason, TestLimits, Workers, sources,
};

use crate::args::{FailureArgs, JournalArgs, Progress, RunArgs, ScopeArgs, Size};
use crate::error::{CliError, about_system};
use crate::exit::Exit;
use crate::given::GivenTest;
use crate::interrupt;
use crate::report::document::evidence::Witness;
use crate::report::document::place::{Report, ReportPlace};
use crate::report::document::recorder::{Known, Recorder};
use crate::report::json_lines::JsonLines;
use crate::report::screen::console::Console;
use crate::report::screen::screen::{LateScreen, Surroundings};
use crate::report::shell::quote_all;
use crate::report::sinks::Sinks;
use crate::report::stats::Stats;
use crate::report::terminal::shown;
use crate::report::text::{Style, Text};
use crate::report::verbosity::Verbosity;

/// How a search is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Whether it begins, goes on, or is looked at again.
    pub mode: Mode,
    /// How it was started first, for its journal.
    pub invocation: Invocation,
    /// The failure that an earlier part of the run has learnt, for a report.
    pub failure: Option<String>,
    /// The report that is wanted of a run that is decided again.
    pub wanted: Option<ReportPlace>,
    /// The languages that there are.
    pub languages: Languages,
}

/// What there is to show of a search.
#[derive(Default)]
pub struct Show {
    /// What the input is called.
    pub file: PathBuf,
    /// The algorithm of a reduction, for which there is a view on a whole screen.
    pub algorithm: &'static str,
    /// Whether both ends of an isolation are directories or revisions.
    pub are_versions: bool,
    /// The compiler of C or C++ that the test runs, if that is known.
    pub compiler: Option<String>,
    /// Collects what a report says, if one is wanted.
    pub recorder: Option<Recorder>,
}

impl Launch {
    /// Begins a search in the current directory with these words, the first of which is not the
    /// program's name.
    pub fn new(arguments: Vec<OsString>) -> Self {
        let directory = std::env::current_dir().unwrap_or_default();
        Self::again(Invocation { directory, arguments })
    }

    /// Begins a search that was begun before.
    pub fn again(invocation: Invocation) -> Self {
        Self {
            mode: Mode::Begin,
            invocation,
            wanted: None,
            failure: None,
            languages: Languages::default(),
        }
    }

    /// Returns where the result goes: where it is wanted, or to the default place. A run that is
    /// decided again writes none.
    pub fn output(
        &self,
        wanted: Option<PathBuf>,
        default: impl FnOnce() -> PathBuf,
    ) -> Option<PathBuf> {
        (!self.mode.is_replay()).then(|| wanted.unwrap_or_else(default))
    }

    /// Returns the input: what `read` gives, or for a run that is looked at again what it began
    /// with.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn input(&self, read: impl FnOnce() -> Result<Vec<u8>, Error>) -> Result<Vec<u8>, Error> {
        match &self.mode {
            Mode::Begin | Mode::Resume(_) => read(),
            Mode::Replay(journal) | Mode::Verify(journal) => sources::recorded_input(journal),
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

    /// Returns what collects the events of the run for a report, if one is wanted. `test` is that
    /// of the command line, `input` a single text, and `result` the place of the result.
    pub fn recorder(
        &self,
        run: &RunArgs,
        failure: &FailureArgs,
        test: Option<(&GivenTest, &Path)>,
        input: Option<&[u8]>,
        result: &Path,
    ) -> Option<Recorder> {
        let place = self.report(run)?;
        let stop = CancelToken::new().ok()?;
        Some(Recorder::new(Known {
            test: test.map(|(test, file)| test.described(file)).unwrap_or_default(),
            conditions: failure.clone(),
            started_with: format!("minirepro {}", quote_all(&self.invocation.arguments)),
            failure: self.failure.clone(),
            result: self
                .wanted
                .is_some()
                .then(|| place.result.unwrap_or_else(|| result.to_owned())),
            input: input.map(Into::into),
            languages: self.languages.clone(),
            directory: self.invocation.directory.clone(),
            witness: test.map(|(test, file)| Witness {
                test: test.clone(),
                file: file.to_owned(),
                companions: run.with.clone(),
                limits: TestLimits::from(run).of_first_tests(),
                stop,
            }),
        }))
    }

    /// Returns the settings that the options ask for, with Ctrl-C; `sinks` get what shows the run.
    ///
    /// # Errors
    /// If a file that is wanted cannot be written, or the system does not let us catch signals.
    pub fn settings<'a>(
        &self,
        run: &RunArgs,
        journal: &JournalArgs,
        show: Show,
        sinks: &'a mut Sinks,
    ) -> Result<Settings<'a>, CliError> {
        let settings = Settings::from(run);
        let report = self.report(run);
        if let Some(place) = &report {
            place.check()?;
        }
        let progress = if self.mode.is_replay() { Progress::Line } else { run.progress() };
        let has_screen = progress == Progress::Screen && !show.algorithm.is_empty();
        let console = if has_screen { Console::find() } else { None };
        let stop = stop_with(console.clone())?;
        let around = console.map(|console| Surroundings {
            console,
            stop: stop.clone(),
            controls: Controls::default(),
            languages: self.languages.clone(),
        });
        let controls = around.as_ref().map(|around| around.controls.clone());
        let mut also_written: Vec<(&'static str, PathBuf)> = Vec::new();
        also_written.extend(run.stats.clone().map(|path| ("the figures of --stats", path)));
        let path = report.as_ref().filter(|place| !place.is_printed());
        also_written.extend(path.map(|place| ("the report", place.path.clone())));
        if let Some(path) = &run.stats {
            let file = shown(&show.file);
            let stats = Stats::new(path.clone(), &file, show.algorithm, settings.jobs)?;
            sinks.0.push(Box::new(stats));
        }
        show.on(sinks, run, progress, &settings, around, report);
        let place = journal.journal.clone().map(JournalPlace::At);
        Ok(Settings {
            workers: workers(run)?,
            journaling: Journaling {
                mode: self.mode.clone(),
                journal: place.unwrap_or(JournalPlace::BesideResult),
                fresh: journal.fresh,
                invocation: self.invocation.clone(),
            },
            also_read: files_of_workers(run).map(PathBuf::from).collect(),
            also_written,
            languages: self.languages.clone(),
            stop: Some(stop),
            controls,
            observer: Some(Box::new(sinks)),
            ..settings
        })
    }
}

impl Show {
    /// Adds the sinks that show a run as is wanted.
    fn on(
        self,
        sinks: &mut Sinks,
        run: &RunArgs,
        progress: Progress,
        settings: &Settings<'_>,
        around: Option<Surroundings>,
        report: Option<ReportPlace>,
    ) {
        let file = shown(&self.file);
        let has_screen = around.is_some();
        if progress == Progress::Json {
            sinks.0.push(Box::new(JsonLines::new(&file, settings.jobs)));
        }
        if let Some(around) = around {
            sinks.0.push(Box::new(LateScreen::new(around, file)));
        }
        let style = Style {
            verbosity: Verbosity::of(run),
            may_be_live: progress != Progress::Plain,
            retry: settings.retry,
            are_versions: self.are_versions,
            compiler: self.compiler,
        };
        sinks.0.push(Box::new(Text::new(style, has_screen)));
        if let (Some(recorder), Some(place)) = (self.recorder, report) {
            sinks.0.push(Box::new(Report { recorder, place }));
        }
    }
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
            kept: args.preserve.clone(),
            ..Self::default()
        }
    }
}

/// Lets a run end as soon as its result is as small as this.
pub fn stop_at(budget: &mut Budget, size: Option<Size>) {
    match size {
        Some(Size::Tokens(tokens)) => budget.stop_at_tokens = Some(tokens),
        Some(Size::Bytes(bytes)) => budget.stop_at_bytes = Some(bytes),
        None => {}
    }
}

/// Returns how many processors this process may use, by its affinity and its control group.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the workers that run tests instead of this process.
///
/// # Errors
/// If a file of commands cannot be read, or holds none.
pub fn workers(run: &RunArgs) -> Result<Workers, CliError> {
    let mut lines = run.workers.clone();
    lines.retain(|line| line != "none" && !line.starts_with('@'));
    for name in files_of_workers(run) {
        let wrong = |why: &dyn Display| CliError::usage(format_args!("--workers @{name}: {why}"));
        let text = std::fs::read_to_string(name).map_err(|error| wrong(&error))?;
        let all = text.lines().map(str::trim);
        let before = lines.len();
        let commands = all.filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.extend(commands.map(str::to_owned));
        if lines.len() == before {
            return Err(wrong(&"no line is a command"));
        }
    }
    let commands = lines.iter().flat_map(|line| repeated(line)).collect();
    Ok(Workers { commands, own_jobs: run.jobs.unwrap_or(0) })
}

/// Returns the files from which commands of workers are read.
fn files_of_workers(run: &RunArgs) -> impl Iterator<Item = &str> {
    run.workers.iter().filter_map(|line| line.strip_prefix('@'))
}

/// Returns the command of a worker as often as it says: `16*COMMAND` means sixteen. No command of a
/// shell begins so.
fn repeated(line: &str) -> impl Iterator<Item = String> {
    let times = line.split_once('*').and_then(|(times, command)| {
        let times: u16 = times.trim().parse().ok().filter(|&times| times > 0)?;
        Some((usize::from(times), command.trim_start()))
    });
    let (times, command) = times.unwrap_or((1, line));
    std::iter::repeat_n(command.to_owned(), times)
}

/// Reads files of rules.
///
/// # Errors
/// If one cannot be read, or is not a text.
pub fn rules(paths: &[PathBuf]) -> Result<Vec<Rules>, CliError> {
    let wrong = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| CliError::usage(format_args!("{path}: {error}"))
    };
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(wrong(path))?;
        let entries = entries.map(|entry| Ok(entry?.path()));
        let mut inside = entries.collect::<Result<Vec<PathBuf>, _>>().map_err(wrong(path))?;
        inside.retain(|file| file.extension().is_some_and(|suffix| suffix == "toml"));
        inside.sort();
        files.extend(inside);
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
    stop_with(None)
}

/// Returns a token that Ctrl-C sets. Before a second one ends the program, it gives the terminal
/// back.
fn stop_with(console: Option<Arc<Console>>) -> Result<CancelToken, CliError> {
    let refused = |error: io::Error| {
        let message = format!("cannot catch signals: {error}");
        CliError::new(Exit::BrokenTest, &message).advise(about_system(&message))
    };
    let stop = CancelToken::new().map_err(refused)?;
    let give_back = move || console.iter().for_each(|console| console.give_back());
    interrupt::watch(stop.clone(), give_back).map_err(refused)?;
    Ok(stop)
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
