//! `minirepro guide`.

use clap::Args;

use super::values::Suggested;
use crate::chapters::topics;

/// The options of `minirepro guide`.
#[derive(Debug, Args)]
pub struct Guide {
    /// The topic to read about [default: a list of all topics]
    #[arg(hide_possible_values = true, value_parser = Suggested(topics))]
    pub topic: Option<String>,
}
