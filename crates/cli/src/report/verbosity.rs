//! How much is shown.

use crate::args::RunArgs;

/// How much to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Where the run is now, and a summary.
    Normal,
    /// Every step.
    Verbose,
}

impl Verbosity {
    /// Returns what was asked for.
    pub fn of(args: &RunArgs) -> Self {
        match (args.quiet, args.verbose) {
            (true, _) => Self::Quiet,
            (_, true) => Self::Verbose,
            _ => Self::Normal,
        }
    }
}
