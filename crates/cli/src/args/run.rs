//! What searches share: how tests are run, the edits to try, and the failure to look for.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::TypedValueParser;
use clap::{Arg, Args, ValueEnum};
use minirepro_program::{Conditions, Granularity, Pattern, RetryPolicy, TestEnd};

use super::values::{
    Stack, Suggested, languages, megabytes, pass, pass_names, retry, stack, time, whole,
};

/// How tests are run, and when to stop.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// How many tests run at the same time; the result does not depend on it [default: the
    /// processors that this process may use, or MINIREPRO_JOBS]
    #[arg(help_heading = "Search", short, long, value_name = "N", value_parser = whole::<usize>, env = "MINIREPRO_JOBS", hide_env = true)]
    pub jobs: Option<usize>,
    /// Let the agent that COMMAND starts run tests, like `ssh host minirepro agent` (can be
    /// repeated); this machine runs as many as --jobs says, if it is given; `16*COMMAND` starts it
    /// sixteen times, `@FILE` reads commands from FILE, one a line; see `minirepro guide clusters`
    #[arg(help_heading = "Search", long, value_name = "COMMAND", hide_short_help = true)]
    pub workers: Vec<String>,
    /// The time that a test may take [default: 10 times that of FILE, at least 5]
    #[arg(help_heading = "Limits", long, value_name = "TIME", value_parser = time)]
    pub timeout: Option<Duration>,
    /// The memory that each process of a test may use
    #[arg(hide_short_help = true, help_heading = "Limits", long, value_name = "MB", value_parser = megabytes)]
    pub memory: Option<u64>,
    /// Repeat a test that does not reproduce, up to N times in all; with a share like 0.5, test
    /// each candidate until it is clear whether it reproduces in at least this part of its tests,
    /// so that the failure stays frequent
    #[arg(help_heading = "Test", long, value_name = "N|RATE", default_value = "1", value_parser = retry)]
    pub repeat: RetryPolicy,
    /// Put this file or directory beside every candidate (can be repeated); files that FILE
    /// includes and that lie below its directory are there for a PROGRAM anyway
    #[arg(help_heading = "Input", long, value_name = "PATH")]
    pub with: Vec<PathBuf>,
    /// Stop after N tests
    #[arg(help_heading = "Limits", long, value_name = "N", value_parser = whole::<u64>)]
    pub max_tests: Option<u64>,
    /// Stop after this time, like 90s, 6m or 2h
    #[arg(help_heading = "Limits", long, value_name = "TIME", value_parser = time)]
    pub max_time: Option<Duration>,
    /// Write the figures of the run to a JSON file
    #[arg(help_heading = "Output", hide_short_help = true, long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Write a report of the run: a page with the result, how to reproduce it and how it was found,
    /// or for a name that ends with `.md` a text for bug trackers
    #[arg(help_heading = "Output", hide_short_help = true, long, value_name = "REPORT")]
    pub report: Option<PathBuf>,
    /// How a run shows where it is: on a whole `screen` (at a terminal, the default), in one `line`
    /// that changes, in `plain` lines, or as `json`, one event a line on standard error; see
    /// `minirepro guide progress`
    #[arg(help_heading = "Output", hide_short_help = true, long, value_name = "HOW", value_enum)]
    #[arg(env = "MINIREPRO_PROGRESS", hide_env = true, hide_possible_values = true)]
    pub progress: Option<Progress>,
    /// The same as --progress plain
    #[arg(help_heading = "Output", hide_short_help = true, long, conflicts_with = "progress")]
    pub plain: bool,
    /// Show nothing but errors
    #[arg(help_heading = "Output", short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show every step that makes the result smaller, and at the end which edits were tried
    #[arg(help_heading = "Output", short, long)]
    pub verbose: bool,
}

/// Hides an argument in the help of a subcommand that refuses these.
pub fn hidden(argument: Arg, refused: &[&str]) -> Arg {
    let is_refused = refused.contains(&argument.get_id().as_str());
    argument.hide(is_refused)
}

/// How a run shows where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// On the whole screen, with keys.
    Screen,
    /// In one line that changes.
    Line,
    /// In lines, at most one a second.
    Plain,
    /// As one JSON object a line.
    Json,
}

/// The journal of a run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Runs")]
pub struct JournalArgs {
    /// Keep the journal of the run in DIR for good [default: OUT.minirepro until the run is
    /// complete]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub journal: Option<PathBuf>,
    /// Begin anew, even if the same run was interrupted before
    #[arg(long, hide_short_help = true)]
    pub fresh: bool,
}

/// The language of the input.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Input")]
pub struct LanguageArgs {
    /// The language of the input, if its name does not tell; see `minirepro languages`.
    /// `records:FORM` is for a form like png, riff or tlv-1-2be, words that describe one like
    /// 'bytes:1 length:u16be data', or `guess`: lengths and checksums follow when parts of it go
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(languages))]
    pub lang: Option<String>,
    /// Read FILE by the tree-sitter grammar at this path: its directory (a checkout, an unpacked
    /// npm package or crate), which is compiled once, or a library (.so). It is native code
    /// and runs as you (can be repeated); see `minirepro guide languages`
    #[arg(long, value_name = "PATH", hide_short_help = true)]
    pub grammar: Vec<PathBuf>,
}

/// The edits to try.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct ScopeArgs {
    /// The smallest unit to remove: `items` (functions and declarations, elements of a page,
    /// paragraphs), `tokens`, or `characters` [default: characters]
    #[arg(
        long,
        value_name = "UNIT",
        default_value_t,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub granularity: Granularity,
    /// Also try the rules in this file, or in all files of this directory, like `match = '$A ?
    /// $B : $C'`, `put = '$B'`; see `minirepro guide rules` (can be repeated)
    #[arg(long, value_name = "PATH", hide_short_help = true)]
    pub rules: Vec<PathBuf>,
    /// Once no edit helps any more, ask this program what to try; see `minirepro guide proposers`
    /// (can be repeated)
    #[arg(long, value_name = "COMMAND", hide_short_help = true)]
    pub propose: Vec<OsString>,
    /// Do not run these passes, like `normalize,merge-names` to keep names; see `minirepro passes`
    /// (can be repeated)
    #[arg(long, hide_short_help = true, value_name = "PASSES", value_delimiter = ',', hide_possible_values = true, value_parser = Suggested(pass_names).try_map(|name| pass(&name)))]
    pub skip_pass: Vec<String>,
    /// Preserve the text of FILE that this regular expression matches (can be repeated)
    #[arg(long, value_name = "REGEX")]
    pub preserve: Vec<Pattern>,
}

/// The failure of a program to look for. All conditions that are given must hold.
#[derive(Clone, Debug, Default, Args)]
pub struct FailureArgs {
    /// How many stack frames belong to the signature of a crash; with `N,place`, the file and the
    /// line in the innermost one as well
    #[arg(hide_short_help = true, long, value_name = "N", default_value = "3", value_parser = stack)]
    #[arg(requires = "program")]
    pub stack_frames: Stack,
    /// Show the signature of the failure on FILE and stop; or look for this one only
    #[arg(long, value_name = "TEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(requires = "program")]
    pub signature: Option<String>,
    /// It ends with this exit code, or is killed by this signal, like SEGV
    #[arg(long, value_name = "N|SIGNAL", requires = "program", conflicts_with = "signature")]
    #[arg(value_parser = Conditions::ending)]
    pub exit_code: Option<TestEnd>,
    /// Its standard output contains a match of this regular expression (can be repeated)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub stdout: Vec<Pattern>,
    /// Its standard error contains a match (can be repeated)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub stderr: Vec<Pattern>,
    /// It does not end within --timeout; without PROGRAM, a page is not loaded then
    #[arg(long, requires = "timeout", group = "condition", conflicts_with = "signature")]
    pub hang: bool,
    /// This shell command must succeed as well, like 'cc -fsyntax-only @@' (can be repeated)
    #[arg(long, value_name = "COMMAND", requires = "program")]
    pub require: Vec<String>,
}
