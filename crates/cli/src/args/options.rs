//! `minirepro options`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use minirepro_program::Wanted;

use super::run::{FailureArgs, JournalArgs, RunArgs};

/// Find the options that make a command fail, or keep it from failing.
///
/// The words between `@{` and `}` can be there or not. How PROGRAM fails with all of them (with
/// none of them for `--find blockers`) is the failure to look for. It runs in an empty directory;
/// words that name existing files become absolute. The words found go to standard output, one set a
/// line.
#[derive(Clone, Debug, Args)]
#[command(override_usage = "minirepro options [OPTIONS] -- PROGRAM [ARGUMENT | @{WORDS...}]...")]
pub struct Options {
    /// A command line with `@{WORDS}` in it, like: gcc -O '@{-ffast-math -fgcse}' bug.c
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM", required = true)]
    pub program: Vec<OsString>,
    /// What to look for
    #[arg(long, value_name = "WHAT", value_parser = wanted(), default_value = "required")]
    pub find: Wanted,
    /// A file with more words for `@{}`; lines that begin with `#` are skipped
    #[arg(long, value_name = "FILE")]
    pub candidates: Option<PathBuf>,
    /// An environment variable that can be set or not, with its value if that is not the current
    /// one (can be repeated); '*' is all that are set
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub env: Vec<OsString>,
    /// PROGRAM is a test script: its exit code says whether the failure is there (0)
    #[arg(long, conflicts_with_all = ["signature", "exit_code", "signal", "stdout", "stderr", "no_stderr", "hang"])]
    pub script: bool,
    /// The journal.
    #[command(flatten)]
    pub journal: JournalArgs,
    /// How tests are run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The failure of PROGRAM to look for.
    #[command(flatten, next_help_heading = "Test")]
    pub failure: FailureArgs,
}

/// Parses what to look for.
fn wanted() -> impl TypedValueParser<Value = Wanted> {
    let values = [
        ("required", "The fewest words with which it still fails"),
        ("blockers", "Words that make the failure disappear; repeats until none is left"),
        ("difference", "The difference between words with which it fails and words with which not"),
    ];
    let values = values.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).map(|name| match &*name {
        "blockers" => Wanted::Blockers,
        "difference" => Wanted::Difference,
        _ => Wanted::Required,
    })
}
