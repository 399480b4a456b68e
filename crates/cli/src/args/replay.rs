//! `minirepro replay`.

use std::path::PathBuf;

use clap::Args;

/// Repeat a run from its journal, without any test: it must end the same
#[derive(Debug, Args)]
pub struct Replay {
    /// The directory of the journal
    #[arg(value_name = "DIR")]
    pub journal: PathBuf,
    /// Where the result goes; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Show nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}
