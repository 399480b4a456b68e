//! Options for running tests on other machines.

use std::path::PathBuf;

use clap::Args;

/// Options for running tests on other machines.
#[derive(Clone, Debug, Default, Args)]
pub struct WorkerArgs {
    /// Let the agent that COMMAND starts run tests, like `ssh host minirepro agent` (can be
    /// repeated); this machine runs as many as --jobs says, if it is given; `16*COMMAND` starts it
    /// sixteen times; see `minirepro guide clusters`
    #[arg(help_heading = "Workers", long, value_name = "COMMAND")]
    pub workers: Vec<String>,
    /// Read commands as for --workers from FILE, one a line
    #[arg(help_heading = "Workers", hide_short_help = true, long, value_name = "FILE")]
    pub workers_file: Vec<PathBuf>,
}

impl WorkerArgs {
    /// Returns whether workers are wanted.
    pub fn are_given(&self) -> bool {
        !self.workers.is_empty() || !self.workers_file.is_empty()
    }
}
