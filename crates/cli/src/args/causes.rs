//! Which of several causes to look for.

use clap::ValueEnum;

/// Which of several independent causes to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Each, in a numbered result of its own
    #[default]
    Each,
    /// The one with the smallest result
    Smallest,
}
