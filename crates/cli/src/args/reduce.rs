//! `minirepro reduce`, which is also what runs without a subcommand.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use minirepro::Algorithm;

use super::causes::Which;
use super::failure::FailureArgs;
use super::journal::JournalArgs;
use super::run::RunArgs;
use super::scope::ScopeArgs;
use super::values::{Size, algorithm, size};

/// The options of a reduction.
#[derive(Clone, Debug, Args)]
pub struct Reduce {
    /// The program that says whether a candidate shows the failure (exit code 0)
    #[arg(required = true)]
    pub test: Option<PathBuf>,
    /// The file or directory to reduce; it is never changed
    #[arg(required_unless_present_any = ["program", "compile_commands"])]
    pub file: Option<PathBuf>,
    /// Instead of TEST: the program that fails on FILE, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Instead of TEST and PROGRAM: the command that compiles FILE, from this compile_commands.json or the one in this
    /// directory
    #[arg(
        help_heading = "Test",
        long,
        value_name = "PATH",
        conflicts_with = "program",
        hide_short_help = true
    )]
    pub compile_commands: Option<PathBuf>,
    /// Where the result goes; `-` is standard output [default: FILE with `.min` before its suffix]
    #[arg(help_heading = "Output", short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The language of FILE, if its name does not tell; see `minirepro languages`
    #[arg(help_heading = "Input", long, value_name = "NAME")]
    pub lang: Option<String>,
    /// FILE holds records: `lines`, a form like png, riff or tlv-1-2be, words that describe one like
    /// 'bytes:1 length:u16be data', or `guess`; lengths and checksums follow when parts of it go
    #[arg(
        help_heading = "Input",
        long,
        value_name = "FORM",
        hide_short_help = true,
        conflicts_with = "lang"
    )]
    pub records: Option<String>,
    /// The algorithm: a search over the lists of our own passes, or a published reducer's order
    #[arg(help_heading = "Search", long, value_name = "NAME", hide_short_help = true, default_value_t = Algorithm::default(), value_parser = algorithm)]
    pub algorithm: Algorithm,
    /// Reduce what this shell command makes of FILE, like 'cc -E -P @@', so that includes and macros
    /// are reduced as well
    #[arg(help_heading = "Input", long, value_name = "COMMAND", hide_short_help = true)]
    pub preprocess: Option<String>,
    /// How to format the result, if it still reproduces then: `keep` its white space, make it
    /// `plain` (one line end or one space between tokens), or `layout` (elements, rules and
    /// statements in lines of their own)
    #[arg(
        help_heading = "Output",
        long,
        value_name = "HOW",
        default_value = "keep",
        hide_short_help = true,
        hide_possible_values = true
    )]
    pub format: Format,
    /// The edits to try.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// After a result, go on with the rest of FILE for independent causes: each in a numbered result
    /// of its own, or only the `smallest` of them
    #[arg(help_heading = "Search", long, alias = "all", hide_short_help = true, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "each", hide_possible_values = true)]
    pub all_causes: Option<Which>,
    /// Stop as soon as the result is as small as this: `100tokens` or `2000bytes`
    #[arg(help_heading = "Limits", long, alias = "stop-at", hide_short_help = true, value_name = "SIZE", value_parser = size)]
    pub until_size: Option<Size>,
    /// The journal and the cache.
    #[command(flatten)]
    pub journal: JournalArgs,
    /// How tests are run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The failure of PROGRAM to look for.
    #[command(flatten, next_help_heading = "Test")]
    pub failure: FailureArgs,
}

/// How a result is formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// As the reduction left it.
    Keep,
    /// With one line end or one space between tokens.
    Plain,
    /// With lines and indentation that follow the structure.
    Layout,
}
