//! `minirepro agent`.

use clap::Args;

use super::values::jobs;

/// Run tests for a minirepro on another machine, which started this one by --workers
///
/// It speaks frames on standard input and output, and goes when its input ends. Nothing but this
/// program and the programs that the test needs has to be on the machine. See
/// `minirepro guide clusters`.
#[derive(Debug, Args)]
pub struct Agent {
    /// How many tests run at the same time [default: the processors that this process may use, or
    /// MINIREPRO_JOBS]
    #[arg(short, long, value_name = "N", value_parser = jobs, env = "MINIREPRO_JOBS", hide_env = true)]
    pub jobs: Option<usize>,
}
