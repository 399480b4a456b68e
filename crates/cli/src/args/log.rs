//! `minirepro log`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use regex::bytes::Regex;

use super::causes::Which;
use super::failure::FailureArgs;
use super::journal::JournalArgs;
use super::run::RunArgs;
use super::values::regex;

/// Find the records of a log (events, commands, requests) that a failure needs.
///
/// Records are lines; they stay whole and in their order. Records that belong together (a key that
/// is pressed and released) are first tried as one, then each by itself. TEST replays the log that
/// is left.
#[derive(Clone, Debug, Args)]
#[command(override_usage = "minirepro log [OPTIONS] TEST LOG\n       \
                            minirepro log [OPTIONS] LOG -- PROGRAM [ARGUMENTS]...")]
pub struct Log {
    /// The program that says whether a candidate shows the failure (exit code 0)
    #[arg(required = true)]
    pub test: Option<PathBuf>,
    /// The log; it is never changed; `-` is standard input
    #[arg(required_unless_present = "program")]
    pub log: Option<PathBuf>,
    /// Instead of TEST: the program that fails on LOG, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Where the result goes [default: LOG with `.min` before its suffix]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Remove only records that match, like '^(Key|Button)' (can be repeated)
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub include: Vec<Regex>,
    /// Preserve records that match (can be repeated)
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub preserve: Vec<Regex>,
    /// A line that matches begins a record [default: every line does]
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub record: Option<Regex>,
    /// What begins something and what ends it, like 'down (\w+)' 'up (\w+)'; what the brackets
    /// match must be equal (can be repeated) [default: known words like press and release]
    #[arg(long, value_names = ["BEGIN", "END"], num_args = 2, value_parser = regex)]
    pub pair: Vec<Regex>,
    /// Isolate the difference between a log that fails and one that does not; OUT is the one that
    /// fails
    #[arg(long, conflicts_with = "all_causes")]
    pub isolate: bool,
    /// Then look for other records that make it fail without those found: each in a numbered result
    /// of its own, or only the `smallest`
    #[arg(long, hide_short_help = true, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "each", hide_possible_values = true)]
    pub all_causes: Option<Which>,
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
