//! `minirepro guide`.

use clap::Args;

/// The options of `minirepro guide`.
#[derive(Debug, Args)]
pub struct Guide {
    /// The topic to read about [default: a list of all topics]
    pub topic: Option<String>,
}
