//! The journal and the cache of a run.

use std::path::PathBuf;

use clap::Args;

/// The journal and the cache of a run.
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
    /// Keep the answers of the test in DIR, for all runs with the same test and tools
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub cache: Option<PathBuf>,
    /// Believe the cache to the end; otherwise, what it says not to reproduce is tested again
    /// before a result is called 1-minimal
    #[arg(long, requires = "cache", hide_short_help = true)]
    pub trust_cache: bool,
}
