//! `minirepro show`.

use std::path::PathBuf;

use clap::Args;

use super::values::{Size, size};

/// Print a version on the way from the input to the result, or the list of all
///
/// The run is decided again from its journal, without any test. The journal of a complete run is
/// there if the run had --history or --journal.
#[derive(Debug, Args)]
pub struct Show {
    /// The result of the run, or the directory of its journal
    #[arg(value_name = "OUT|DIR")]
    pub run: PathBuf,
    /// The first version that is not larger than this: `100tokens` or `2000bytes` [default: a list
    /// of all versions]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub at: Option<Size>,
}
