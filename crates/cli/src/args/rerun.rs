//! `minirepro rerun`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Run the test of a report again: is the failure still there?
///
/// Says "still there" (exit code 0), "gone" (2) or "fails otherwise" (5). A report may come from
/// anybody, and its test runs on this machine: its command is shown, and runs with --yes or after a
/// question.
#[derive(Debug, Args)]
#[command(override_usage = "minirepro rerun [OPTIONS] REPORT [-- PROGRAM [ARGUMENTS]...]")]
pub struct Rerun {
    /// The page that `minirepro report` or --report wrote
    pub report: PathBuf,
    /// Instead of the program of the report: another one, like another version of a compiler; with
    /// arguments (`@@` stands for the file) it takes the place of the whole command
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Write the outcome to a JUnit file, which CI systems show
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Run the test without asking
    #[arg(long)]
    pub yes: bool,
}
