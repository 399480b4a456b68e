//! `minirepro resume`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::run::Progress;
use super::values::{Size, size, time, whole};

/// Continue a run that was interrupted or killed, or that ended early
///
/// Answers that are in the journal cost no test. The file, the test and the options that decide the
/// run must not have changed. The result is the one that the undisturbed run would have had.
#[derive(Debug, Args)]
pub struct Resume {
    /// The directory of the journal, `OUT.minirepro` if --journal did not name another
    #[arg(value_name = "DIR")]
    pub journal: PathBuf,
    /// How many tests run at the same time; the result does not depend on it [default: as before]
    #[arg(short, long, value_name = "N", value_parser = whole::<usize>)]
    pub jobs: Option<usize>,
    /// The commands of agents that run tests, or `none` [default: as before]
    #[arg(long, value_name = "COMMAND")]
    pub workers: Vec<String>,
    /// Stop after N tests, including those before the interruption
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub max_tests: Option<u64>,
    /// Stop after this time, from now on
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub max_time: Option<Duration>,
    /// Stop as soon as the result is as small as this: `100tokens` or `2000bytes`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub until_size: Option<Size>,
    /// Write a report of the run when it is complete [default: as before]
    #[arg(long, value_name = "REPORT")]
    pub report: Option<PathBuf>,
    /// How the run shows where it is: on a whole `screen`, in one `line`, in `plain` lines, or as
    /// `json`; see `minirepro guide progress`
    #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true)]
    pub progress: Option<Progress>,
    /// Show nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show every step that makes the result smaller, and at the end which edits were tried
    #[arg(short, long)]
    pub verbose: bool,
}
