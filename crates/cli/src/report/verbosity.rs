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
            (true, _) => Self::Quiet,
            (_, true) => Self::Verbose,
            _ => Self::Normal,
        }
    }
}

/// How it is shown where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// On the whole screen, if there is a terminal and the run is a reduction.
    Screen,
    /// In a line that changes, if there is a terminal.
    Line,
    /// In plain lines.
    Plain,
    /// As JSON, and nothing else.
    Json,
}

impl Display {
    /// Returns what was asked for; where every step or nothing is shown, there is no screen.
    pub fn of(args: &RunArgs) -> Self {
        match args.progress {
            _ if args.plain => Self::Plain,
            Some(Progress::Plain) => Self::Plain,
            Some(Progress::Json) => Self::Json,
            Some(Progress::Line) => Self::Line,
            _ if args.quiet || args.verbose => Self::Line,
            Some(Progress::Screen) | None => Self::Screen,
        }
    }
}
