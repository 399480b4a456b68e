//! The journal of a run.

use std::path::PathBuf;

use clap::Args;

/// The journal of a run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Runs")]
pub struct JournalArgs {
    /// Keep the journal of the run in DIR for good [default: OUT.minirepro until the run is
    /// complete]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub journal: Option<PathBuf>,
    /// Begin anew, even if the same run was interrupted before
    #[arg(long, hide_short_help = true)]
    pub fresh: bool,
}
