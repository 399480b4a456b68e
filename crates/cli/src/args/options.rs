//! `minirepro options`.

use std::ffi::OsString;

use clap::Args;

use super::run::{FailureArgs, JournalArgs, RunArgs, hidden};

/// Find the options that make a command fail, or keep it from failing.
///
/// The words between `@{` and `}` can be there or not. How PROGRAM fails with all of them is the
/// failure to look for. It runs in an empty directory;
/// words that name existing files become absolute. The words found go to standard output, one set a
/// line.
#[derive(Clone, Debug, Args)]
#[command(mut_args(|argument| hidden(argument, &["require"])))]
#[command(override_usage = "minirepro options [OPTIONS] -- PROGRAM [ARGUMENT | @{WORDS...}]...")]
pub struct Options {
    /// A command line with `@{WORDS}` in it, like: gcc -O '@{-ffast-math -fgcse}' bug.c
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM", required = true)]
    pub program: Vec<OsString>,
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
