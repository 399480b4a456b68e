//! What all searches take from the command line in the same way: settings, and the way from a run
//! to an exit code.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use minirepro_program::{
    Budget, CancelToken, Causes, Controls, Error, Format, Invocation, JournalPlace, Journaling,
    Languages, Mode, OutputFile, Proposer, ProposerProgram, RetryPolicy, Rules, Scope, Settings,
    StopReason, TestLimits, Workers, sources,
};

use crate::args::{self, FailureArgs, JournalArgs, RunArgs, ScopeArgs, Size, Tracker, Which};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::{self, Watched};
use crate::report::document::document::Reproduction;
use crate::report::document::embedded::Embedded;
use crate::report::document::evidence::{Asked, Witness};
use crate::report::document::html::page;
use crate::report::document::layouts::for_tracker;
use crate::report::document::markdown::markdown;
use crate::report::document::recorder::{Known, Recorder};
use crate::report::document::steps::Version;
use crate::report::reporter::{Collected, Reporter, Style};
use crate::report::screen::console::Console;
use crate::report::screen::screen::Surroundings;
use crate::report::shell::quote_all;
use crate::report::stats;
use crate::report::terminal::{print, say, shown};
use crate::report::verbosity::{Display, Verbosity};
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
    /// The failure that an earlier part of the run has learnt, for a report.
    pub failure: Option<String>,
    /// What is wanted of a run that is decided again, apart from its result.
    pub aim: Option<Aim>,
    /// The languages that there are.
    pub languages: Languages,
}

/// What is wanted of a run that is decided again.
#[derive(Clone, Debug)]
pub enum Aim {
    /// A report.
    Report(ReportPlace),
    /// The first version that is as small as this; without a size, a list of all versions.
    Show(Option<Size>),
}

/// Where a report goes, and how it is made.
#[derive(Clone, Debug)]
pub struct ReportPlace {
    /// The file; `-` is standard output.
    pub path: PathBuf,
    /// Whether it is Markdown, not a page.
    pub is_markdown: bool,
    /// The tracker whose layout it has.
    pub tracker: Option<Tracker>,
    /// Whether the programs of the test may be asked for their versions.
    pub runs_programs: bool,
    /// Whether the user is told where it is.
    pub is_told: bool,
}

impl ReportPlace {
    /// Returns the place of a report of one's own run; its suffix tells the form.
    pub fn of(path: PathBuf) -> Self {
        let is_markdown = path.extension().is_some_and(|suffix| suffix == "md");
        Self { path, is_markdown, tracker: None, runs_programs: true, is_told: true }
    }

    /// Returns whether it goes to standard output.
    pub fn is_printed(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Checks that the report can be written and that nothing else is lost by it.
    fn check(&self) -> Result<(), CliError> {
        let is_page = self.path.extension().is_some_and(|suffix| suffix == "html");
        if self.tracker.is_some() && is_page {
            return Err(CliError::usage(format_args!(
                "--for: the layouts of issue trackers are texts, and {} would be a page",
                shown(&self.path)
            ))
            .advise("Name a file that ends with .md or .txt.\n"));
        }
        if self.is_printed() {
            return Ok(());
        }
        stats::check(&self.path).map_err(|error| CliError::new(Exit::NotWritten, error))?;
        let there = sources::file(&self.path).unwrap_or_default();
        let is_report = there.is_empty() || String::from_utf8_lossy(&there).contains("minirepro");
        match is_report {
            true => Ok(()),
            false => Err(CliError::usage(format_args!(
                "{} is there already, and is no report of minirepro",
                shown(&self.path)
            ))
            .advise("Name another file, or remove this one.\n")),
        }
    }
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
            replay_output: None,
            aim: None,
            failure: None,
            languages: Languages::default(),
        }
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
        match (&self.aim, &self.mode) {
            (Some(Aim::Report(place)), _) => Some(place.clone()),
            (_, Mode::Begin | Mode::Resume(_)) => {
                let place = run.report.clone().map(ReportPlace::of);
                place.map(|place| ReportPlace { tracker: run.tracker, ..place })
            }
            _ => None,
        }
    }

    /// Returns what is written besides the results when the run is over, by the options that ask
    /// for it.
    fn also_written(&self, run: &RunArgs) -> Vec<(&'static str, PathBuf)> {
        let report = self.report(run).filter(|report| !report.is_printed());
        let report = report.map(|report| ("the report", report.path));
        run.stats
            .clone()
            .map(|path| ("the figures of --stats", path))
            .into_iter()
            .chain(report)
            .collect()
    }

    /// Returns what collects the events of the run, if something is wanted that needs it. `test` is
    /// what the command line says about the test, `input` a single text,
    /// and `result` the place of the first result.
    pub fn recorder(
        &self,
        run: &RunArgs,
        failure: &FailureArgs,
        test: Reproduction,
        input: Option<&[u8]>,
        result: &Path,
    ) -> Option<Recorder> {
        let is_wanted = self.aim.is_some() || self.report(run).is_some();
        is_wanted.then(|| {
            Recorder::new(Known {
                test,
                conditions: failure.clone(),
                timeout: run.timeout,
                started_with: format!("minirepro {}", quote_all(&self.invocation.arguments)),
                failure: self.failure.clone(),
                result: self.aim.is_some().then(|| result.to_owned()),
                input: input.map(Into::into),
                languages: self.languages.clone(),
                directory: self.invocation.directory.clone(),
                witness: None,
            })
        })
    }

    /// Returns what asks the test once more, for a report of the run.
    pub fn witness(&self, run: &RunArgs, test: Asked, file: &Path) -> Option<Witness> {
        self.report(run)?;
        Some(Witness {
            test,
            file: file.to_owned(),
            companions: run.with.clone(),
            limits: limits(run).of_first_tests(),
            keeps_command: run.keep_command,
            stop: CancelToken::new().ok()?,
        })
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
        if let Some(place) = self.report(run) {
            place.check()?;
        }
        let can_have_screen =
            self.aim.is_none() && matches!(self.mode, Mode::Begin | Mode::Resume(_));
        let console = if can_have_screen { reporter.console() } else { None };
        let pager_listens = Arc::new(AtomicBool::new(false));
        let stop = stop_with(&pager_listens, console.clone())?;
        let around = console.map(|console| Surroundings {
            console,
            stop: stop.clone(),
            controls: Controls::default(),
            pager_listens,
            languages: self.languages.clone(),
        });
        if let Some(around) = &around {
            reporter.show_on(around.clone());
        }
        let place = match &journal.journal {
            Some(place) => JournalPlace::At(place.clone()),
            None if journal.history => JournalPlace::KeptBesideResult,
            None => JournalPlace::BesideResult,
        };
        Ok(Settings {
            jobs: jobs(run),
            workers: workers(run)?,
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
            also_read: run.workers.workers_file.clone(),
            also_written: self.also_written(run),
            languages: self.languages.clone(),
            stop: Some(stop),
            controls: around.map(|around| around.controls),
            observer: Some(Box::new(reporter)),
            ..Settings::default()
        })
    }
}

/// Returns how many tests run at the same time: as many as asked for, or as there are processors
/// for this process, by its affinity and its control group.
pub fn jobs(run: &RunArgs) -> usize {
    run.jobs.unwrap_or_else(processors)
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
    let args = &run.workers;
    let mut commands: Vec<String> = args.workers.iter().flat_map(|line| repeated(line)).collect();
    for file in &args.workers_file {
        let name = shown(file);
        let text = std::fs::read_to_string(file)
            .map_err(|error| CliError::usage(format_args!("--workers-file {name}: {error}")))?;
        let lines = text.lines().map(str::trim);
        let before = commands.len();
        commands.extend(
            lines.filter(|line| !line.is_empty() && !line.starts_with('#')).flat_map(repeated),
        );
        if commands.len() == before {
            return Err(CliError::usage(format_args!(
                "--workers-file {name}: no line is a command"
            )));
        }
    }
    let default = Workers::default();
    Ok(Workers {
        commands,
        own_jobs: run.jobs.unwrap_or(0),
        silence: args.worker_timeout.unwrap_or(default.silence),
        may_have_other_tools: args.other_tools,
    })
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
    Budget {
        max_tests: run.max_tests,
        max_time: run.max_time,
        stop_at_tokens,
        stop_at_bytes,
        ..Budget::default()
    }
}

/// Returns which edits are tried.
pub fn scope(args: &ScopeArgs) -> Scope {
    Scope {
        allow_broken: args.allow_syntax_errors,
        granularity: args.granularity,
        without: args.skip_pass.clone(),
        kept: args.preserve.clone(),
    }
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
    let time = args.propose_timeout.unwrap_or(PROPOSER_TIME);
    let program = |command: &OsString| ProposerProgram::new(command, time);
    args.propose.iter().map(|command| Box::new(program(command)) as Box<dyn Proposer>).collect()
}

/// The time that a program may take to propose something.
const PROPOSER_TIME: Duration = Duration::from_secs(60);

/// Returns which causes are wanted.
pub fn causes(which: Option<Which>) -> Causes {
    match which {
        None => Causes::First,
        Some(Which::Each) => Causes::Each,
        Some(Which::Smallest) => Causes::Smallest,
    }
}

/// Returns how results are formatted; where nothing was said, as people write the language.
pub fn format(format: Option<&args::Format>) -> Format {
    match format {
        None => Format::Auto,
        Some(args::Format::Keep) => Format::Keep,
        Some(args::Format::Plain) => Format::Plain,
        Some(args::Format::Layout) => Format::Layout,
        Some(args::Format::Tools) => Format::Tools,
        Some(args::Format::Command(command)) => Format::Command(command.clone()),
    }
}

/// Returns how a run is shown; `file` is what the input is called.
pub fn style(run: &RunArgs, file: &Path, color: args::Color) -> Style {
    Style {
        verbosity: Verbosity::of(run),
        display: Display::of(run),
        reduces: false,
        color: color.is_on(),
        file: shown(file),
        algorithm: "",
        jobs: jobs(run),
        retry: retry(run),
        are_versions: false,
        preprocessor: None,
        command: None,
        begun: Instant::now(),
    }
}

/// Returns a token that Ctrl-C sets.
///
/// # Errors
/// If the system does not let us catch signals.
pub fn stop() -> Result<CancelToken, CliError> {
    stop_with(&Arc::default(), None)
}

/// Returns a token that Ctrl-C sets, except while a pager listens. Before it ends the program, it
/// gives the terminal back.
fn stop_with(
    pager_listens: &Arc<AtomicBool>,
    console: Option<Arc<Console>>,
) -> Result<CancelToken, CliError> {
    let refused = |error: io::Error| {
        CliError::new(Exit::BrokenTest, format_args!("cannot catch signals: {error}"))
            .advise(system_error::advice_on(&error))
    };
    let stop = CancelToken::new().map_err(refused)?;
    let watched = Watched {
        stop: stop.clone(),
        is_for_others: Arc::clone(pager_listens),
        before_exit: Box::new(move || {
            if let Some(console) = &console {
                console.give_back();
            }
        }),
    };
    interrupt::watch(watched).map_err(refused)?;
    Ok(stop)
}

/// Writes the figures and the report of a run that is over, and returns how to exit.
///
/// # Errors
/// If the run had no result, or something cannot be written.
pub fn conclude(
    launch: &Launch,
    run: &RunArgs,
    reporter: Reporter,
    ended: Result<Option<StopReason>, Error>,
) -> Result<Exit, CliError> {
    let Collected { stats, recorder } = reporter.into_collected();
    let mut written = match (&run.stats, stats) {
        (Some(path), Some(json)) => {
            stats::write(path, &json).map_err(|error| CliError::new(Exit::NotWritten, error))
        }
        _ => Ok(()),
    };
    if ended.is_ok()
        && let Some(recorder) = recorder
    {
        written = written.and(publish(launch, run, recorder));
    }
    let stopped = ended?;
    written?;
    Ok(match stopped {
        Some(StopReason::Interrupted) => Exit::Interrupted,
        _ => Exit::Done,
    })
}

/// Writes what is wanted of the record of a run.
fn publish(launch: &Launch, run: &RunArgs, recorder: Recorder) -> Result<(), CliError> {
    if let Some(Aim::Show(at)) = launch.aim {
        return show(&recorder, at);
    }
    let Some(place) = launch.report(run) else { return Ok(()) };
    let mut document = recorder.finish(place.runs_programs);
    let is_page = place.tracker.is_none() && !place.is_markdown;
    if !is_page {
        let stem = place.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for added in &mut document.attachments {
            added.name = format!("{stem}.{}", added.name);
        }
    }
    let text = match (place.tracker, place.is_markdown) {
        (Some(tracker), _) => for_tracker(&document, tracker),
        (None, true) => markdown(&document),
        (None, false) => page(&document, &Embedded::of(&document)),
    };
    if place.is_printed() {
        return print(|to| to.write_all(text.as_bytes()))
            .map_err(|error| CliError::new(Exit::NotWritten, error));
    }
    OutputFile::new(&place.path, &place.path)
        .write(text.as_bytes())
        .map_err(|error| CliError::new(Exit::NotWritten, error))?;
    // A page holds its pictures; a text names them.
    for added in document.attachments.iter().filter(|added| !is_page && added.is_picture()) {
        let path = place.path.with_file_name(&added.name);
        OutputFile::new(&path, &path)
            .write(&added.bytes)
            .map_err(|error| CliError::new(Exit::NotWritten, error))?;
    }
    let is_json = Display::of(run) == Display::Json;
    if place.is_told && (!(run.quiet || is_json) || launch.aim.is_some()) {
        say!("  report: {}", shown(&place.path));
    }
    Ok(())
}

/// Shows a version of a run, or the list of all.
fn show(recorder: &Recorder, at: Option<Size>) -> Result<(), CliError> {
    let versions = recorder.versions();
    let written = match at {
        None => print(|to| {
            for version in versions {
                let Version { tests, tokens, bytes, pass, .. } = version;
                let pass = if pass.is_empty() { "the input" } else { pass };
                writeln!(to, "{tests:>8} tests {tokens:>9} tokens {bytes:>10} bytes  {pass}")?;
            }
            Ok(())
        }),
        Some(size) => {
            let is_small = |version: &&Version| match size {
                Size::Tokens(tokens) => version.tokens <= tokens,
                Size::Bytes(bytes) => version.bytes <= bytes,
            };
            let found = versions.iter().filter(|version| version.text.is_some()).find(is_small);
            let Some(text) = found.and_then(|version| version.text.as_ref()) else {
                return Err(CliError::usage("no version of this run is as small as that")
                    .advise("Without --at, all versions are listed.\n"));
            };
            print(|to| to.write_all(text))
        }
    };
    written.map_err(|error| CliError::new(Exit::NotWritten, error))
}
