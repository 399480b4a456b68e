//! How tests are run, for every kind of run.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::values::{jobs, megabytes, rate, time};
use super::workers::WorkerArgs;

/// How tests are run, and when to stop.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// How many tests run at the same time; the result does not depend on it [default: the
    /// processors that this process may use, or MINIREPRO_JOBS]
    #[arg(help_heading = "Search", short, long, value_name = "N", value_parser = jobs, env = "MINIREPRO_JOBS", hide_env = true)]
    pub jobs: Option<usize>,
    /// Who else runs tests.
    #[command(flatten)]
    pub workers: WorkerArgs,
    /// The time that a test may take [default: 10 times that of FILE, at least 5]
    #[arg(help_heading = "Limits", long, value_name = "TIME", value_parser = time)]
    pub timeout: Option<Duration>,
    /// The processor time that each process of a test may use
    #[arg(help_heading = "Limits", long, hide_short_help = true, value_name = "TIME", value_parser = time)]
    pub cpu_time: Option<Duration>,
    /// How many processes and threads a test may have at the same time
    #[arg(hide_short_help = true, help_heading = "Limits", long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub processes: Option<u64>,
    /// The memory that each process of a test may use
    #[arg(hide_short_help = true, help_heading = "Limits", long, value_name = "MB", value_parser = megabytes)]
    pub memory: Option<u64>,
    /// Repeat a test that does not reproduce, up to N times in all
    #[arg(help_heading = "Test", long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Test each candidate until it is clear whether it reproduces in at least this share of its
    /// tests, like 0.5, so that the failure stays frequent
    #[arg(help_heading = "Test", long, hide_short_help = true, value_name = "RATE", value_parser = rate, conflicts_with = "repeat")]
    pub min_failure_rate: Option<f64>,
    /// Put this file or directory beside every candidate (can be repeated); files that FILE
    /// includes and that lie below its directory are there for a PROGRAM anyway
    #[arg(help_heading = "Input", long, value_name = "PATH")]
    pub with: Vec<PathBuf>,
    /// Stop after N tests
    #[arg(help_heading = "Limits", long, value_name = "N")]
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
    /// Show nothing but errors
    #[arg(help_heading = "Output", short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show every step that makes the result smaller, and at the end which edits were tried
    #[arg(help_heading = "Output", short, long)]
    pub verbose: bool,
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
