//! What was typed. Gives it no meaning.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use minirepro_engine::{Algorithm, UnknownAlgorithm};
use minirepro_runner::{Past, Patience};

use crate::causes::Which;
use crate::keep::Keep;
use crate::replay::Replay;
use crate::resume::Resume;
use crate::scope::Scope;
use crate::verify::Verify;

/// Makes a file that shows a failure as small as possible.
///
/// TEST says whether a candidate still shows the failure. It runs in a fresh directory that holds
/// the candidate under FILE's own name, gets this name as its argument and the candidate as its
/// standard input, and exits with 0 if the failure is there.
///
/// Without TEST, PROGRAM is run on the candidate: `@@` in its arguments stands for the name of the
/// candidate (`@@.c` gives it this suffix), which is its standard input as well. How it fails on
/// FILE (message, stack, signal) is the failure to look for.
#[derive(Debug, Parser)]
#[command(
    name = "minirepro",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "minirepro [OPTIONS] TEST FILE\n       \
                      minirepro [OPTIONS] FILE -- PROGRAM [ARGUMENTS]...\n       \
                      minirepro SUBCOMMAND",
    subcommand_value_name = "SUBCOMMAND",
    subcommand_help_heading = "Subcommands",
    after_help = crate::exit::HELP,
    max_term_width = 100
)]
pub struct Cli {
    /// Anything else than a reduction.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// A reduction.
    #[command(flatten)]
    pub reduce: Reduce,
}

impl Cli {
    /// Whether this was a reduction of a file when `past` was begun.
    pub fn is_of_a_file(&self, past: &Past) -> bool {
        let file =
            if self.reduce.program.is_empty() { &self.reduce.file } else { &self.reduce.test };
        let directory = past.header.directory();
        let is_directory = file.as_ref().is_some_and(|file| directory.join(file).is_dir());
        self.command.is_none() && !is_directory
    }

    /// How tests are run, if this is a search of any kind.
    pub fn common(&mut self) -> Option<&mut Common> {
        match &mut self.command {
            None => Some(&mut self.reduce.common),
            Some(Command::Isolate(args)) => Some(&mut args.common),
            Some(Command::Options(args)) => Some(&mut args.common),
            Some(Command::Events(args)) => Some(&mut args.common),
            Some(_) => None,
        }
    }
}

/// Anything else than a reduction.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the languages that are known.
    Languages,
    /// List the passes: which edits are tried.
    Passes,
    /// Show what minirepro sees in a file: its syntax tree.
    Tree(Tree),
    Init(crate::init::Init),
    /// Go on with a run that was interrupted or killed, or that ended early.
    Resume(Resume),
    /// Decide a run again by its journal, without any test: it must end the same.
    Replay(Replay),
    Isolate(Box<crate::isolate::Isolate>),
    /// Try again every single edit of a result: is it 1-minimal?
    Verify(Box<Verify>),
    Options(Box<crate::options::Options>),
    Events(Box<crate::events::Events>),
}

/// `minirepro tree`.
#[derive(Debug, Args)]
pub struct Tree {
    /// The file to look at
    pub file: PathBuf,
    /// Its language, if the name of the file does not tell
    #[arg(long, value_name = "NAME")]
    pub lang: Option<String>,
}

/// `minirepro TEST FILE`.
#[derive(Clone, Debug, Args)]
pub struct Reduce {
    /// The program that says whether a candidate shows the failure (exit code 0)
    #[arg(required = true)]
    pub test: Option<PathBuf>,
    /// The file or directory to reduce; it is never changed
    #[arg(required_unless_present = "program")]
    pub file: Option<PathBuf>,
    /// Instead of TEST: what fails on FILE, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Where the result goes; `-` is standard output [default: FILE with `.min` before its suffix]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The language of FILE, if its name does not tell; see `minirepro languages`
    #[arg(long, value_name = "NAME")]
    pub lang: Option<String>,
    /// FILE holds records: `lines`, a form like png, riff or tlv-1-2be, words that describe one like
    /// 'bytes:1 length:u16be data', or `guess`; lengths and checksums follow when parts of it go
    #[arg(long, value_name = "FORM", conflicts_with = "lang")]
    pub records: Option<String>,
    /// The algorithm: a search over the lists of our own passes, or a published reducer's order
    #[arg(long, value_name = "NAME", default_value_t = Algorithm::default(), value_parser = algorithm)]
    pub algorithm: Algorithm,
    /// Reduce what this shell command makes of FILE, like 'cc -E -P @@', so that includes and macros
    /// are reduced as well
    #[arg(long, value_name = "COMMAND")]
    pub preprocess: Option<String>,
    /// What becomes of the result's blank space, if it still reproduces so: `keep` it, make it
    /// `plain`, one line end or one space between tokens, or `layout`, with elements, rules and
    /// statements in lines of their own
    #[arg(long, value_name = "HOW", default_value = "keep", hide_possible_values = true)]
    pub format: Format,
    /// Which edits are tried.
    #[command(flatten)]
    pub scope: Scope,
    /// After a result, go on with the rest of FILE for independent causes: each in a numbered result
    /// of its own, or only the `smallest` of them
    #[arg(long, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "each", hide_possible_values = true)]
    pub all: Option<Which>,
    /// Stop as soon as the result is as small as this: `100tokens` or `2000bytes`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub stop_at: Option<Size>,
    /// What is kept on disk.
    #[command(flatten)]
    pub keep: Keep,
    /// How tests are run.
    #[command(flatten)]
    pub common: Common,
    /// What counts as the failure of PROGRAM.
    #[command(flatten, next_help_heading = "Options with PROGRAM")]
    pub failure: Failure,
}

impl Reduce {
    /// Whether what is to be reduced is a directory.
    pub fn is_of_a_directory(&self) -> bool {
        let file = if self.program.is_empty() { &self.file } else { &self.test };
        file.as_ref().is_some_and(|file| file.is_dir())
    }
}

/// How tests are run, whatever they are for.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// How many tests run at the same time; the result does not depend on it
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = jobs)]
    pub jobs: usize,
    /// The time that a test may take [default: 10 times that of FILE, at least 5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// The time on a processor that each process of a test may use
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub cpu: Option<Duration>,
    /// How many processes and threads a test may have at a time
    #[arg(long, value_name = "N")]
    pub processes: Option<u64>,
    /// The memory that a test may use; without control groups, each of its processes
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    pub memory: Option<u64>,
    /// The size of each file that a test may write
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    pub file_size: Option<u64>,
    /// How much a test may write to its standard output, and to its standard error [default: 100]
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    pub output_size: Option<u64>,
    /// Repeat a test that does not reproduce, up to N tests in all, because the failure is flaky
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Test each candidate until it is clear whether it reproduces in at least this part of its
    /// tests, like 0.5, because the failure is flaky and should stay frequent
    #[arg(long, value_name = "RATE", value_parser = rate, conflicts_with = "repeat")]
    pub min_rate: Option<f64>,
    /// Stop after so many tests
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub max_time: Option<Duration>,
    /// Write the figures of the run to a JSON file
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Show nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show every step that makes the result smaller, and at the end what was tried in vain
    #[arg(short, long)]
    pub verbose: bool,
}

impl Common {
    /// The same without what decides nothing.
    #[must_use]
    pub fn deciding(&self) -> Self {
        Self {
            jobs: 1,
            max_tests: None,
            max_time: None,
            stats: None,
            quiet: false,
            verbose: false,
            ..self.clone()
        }
    }

    /// How often a candidate is tested.
    pub fn patience(&self) -> Patience {
        self.min_rate.map_or(Patience::Repeat(self.repeat), Patience::Rate)
    }
}

/// What counts as the failure of a program. All that is given must hold.
#[derive(Clone, Debug, Args)]
pub struct Failure {
    /// How many stack frames belong to the signature of a crash
    #[arg(long, value_name = "N", default_value_t = 3, requires = "program")]
    pub frames: usize,
    /// Show the signature of the failure on FILE and stop; or look for this one only
    #[arg(long, value_name = "TEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(requires = "program")]
    pub signature: Option<String>,
    /// It ends with this exit code
    #[arg(long, value_name = "N", requires = "program", conflicts_with = "signature")]
    pub exit_code: Option<i32>,
    /// It is killed by this signal, like SEGV
    #[arg(long, value_name = "NAME", requires = "program", conflicts_with = "signature")]
    pub signal: Option<String>,
    /// Its standard output contains a match of this regular expression (also several times)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub stdout: Vec<String>,
    /// Its standard error contains a match (also several times)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub stderr: Vec<String>,
    /// Its standard error contains no match (also several times)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub no_stderr: Vec<String>,
    /// It does not end within --timeout
    #[arg(long, requires = "program", requires = "timeout", conflicts_with = "signature")]
    pub timeout_is_failure: bool,
    /// This shell command must succeed as well, like 'cc -fsyntax-only @@' (also several times)
    #[arg(long, value_name = "COMMAND", requires = "program")]
    pub guard: Vec<String>,
}

/// What becomes of the blank space of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// It stays as the reduction left it.
    Keep,
    /// It is made plain, if that still reproduces.
    Plain,
    /// Lines and indentation follow the structure, if that still reproduces.
    Layout,
}

/// A size in one of two units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As the language counts them.
    Tokens(u64),
    /// Of the file.
    Bytes(u64),
}

pub(crate) fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("must be a whole number from 1 on".into()),
        Ok(jobs) => Ok(jobs),
    }
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.trim_end_matches('s').parse::<f64>().ok();
    let duration = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    duration.filter(|d| !d.is_zero()).ok_or_else(|| "must be a number above 0".into())
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| *rate > 0.0 && *rate < 1.0);
    rate.ok_or_else(|| "must be between 0 and 1".into())
}

/// In bytes.
fn megabytes(text: &str) -> Result<u64, String> {
    let megabytes = text.parse::<u64>().ok().filter(|&m| m > 0);
    megabytes.and_then(|m| m.checked_mul(1 << 20)).ok_or("must be a whole number from 1 on".into())
}

pub(crate) fn size(text: &str) -> Result<Size, String> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..at].parse().map_err(|_| "must begin with a number".to_owned())?;
    match text[at..].trim() {
        "tokens" | "token" | "t" => Ok(Size::Tokens(number)),
        "bytes" | "byte" | "b" | "B" => Ok(Size::Bytes(number)),
        _ => Err("must end with `tokens` or `bytes`".into()),
    }
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    text.parse().map_err(|error: UnknownAlgorithm| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_and_times_are_read() {
        assert_eq!(size("100tokens"), Ok(Size::Tokens(100)));
        assert_eq!(size("2 bytes"), Ok(Size::Bytes(2)));
        assert!(size("7").is_err() && size("bytes").is_err() && size("").is_err());
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(["0", "-1", "nan", "1e99", ""].iter().all(|text| seconds(text).is_err()));
    }

    #[test]
    fn a_reduction_and_a_command_do_not_get_into_each_others_way() {
        let parse = |line: &str| Cli::try_parse_from(line.split(' '));
        let cli = parse("minirepro -j 2 test.sh file.c").unwrap();
        assert!(cli.command.is_none() && cli.reduce.file.is_some() && cli.reduce.common.jobs == 2);
        assert!(parse("minirepro languages").unwrap().command.is_some());
        assert!(parse("minirepro tree a.c --lang c").unwrap().command.is_some());
        assert!(parse("minirepro ./tree a.c").unwrap().command.is_none());
        let cli = parse("minirepro --stderr x a.c -- cc -c @@ --lang").unwrap();
        assert!(cli.reduce.file.is_none() && cli.reduce.program.len() == 4);
        assert!(parse("minirepro --stderr x test.sh a.c").is_err());
        assert!(parse("minirepro --timeout-is-failure a.c -- cc").is_err());
        for wrong in ["minirepro", "minirepro a", "minirepro a b c", "minirepro -j 0 a b"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
