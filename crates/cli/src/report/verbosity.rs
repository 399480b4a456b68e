//! How much is shown.

use crate::args::{Progress, RunArgs};

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
            // Others read the JSON alone.
            _ if args.progress == Some(Progress::Json) => Self::Quiet,
            (true, _) => Self::Quiet,
            (_, true) => Self::Verbose,
            _ => Self::Normal,
        }
    }
}

impl RunArgs {
    /// Returns how it is shown where the run is; where every step or nothing is shown, there is no
    /// screen.
    pub fn progress(&self) -> Progress {
        match self.progress {
            Some(progress @ (Progress::Line | Progress::Plain | Progress::Json)) => progress,
            _ if self.plain => Progress::Plain,
            _ if self.quiet || self.verbose => Progress::Line,
            Some(Progress::Screen) | None => Progress::Screen,
        }
    }
}
