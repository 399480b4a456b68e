//! `minirepro report`.

use std::path::PathBuf;

use clap::Args;

/// Write a report of a run that can be attached to a bug
///
/// The run is decided again from its journal, without any test. The journal of a complete run is
/// there if the run had --journal.
#[derive(Debug, Args)]
pub struct Report {
    /// The result of the run, or the directory of its journal
    #[arg(value_name = "OUT|DIR")]
    pub run: PathBuf,
    /// Where the report goes; `-` is standard output, and a name that ends with `.md` makes
    /// Markdown for bug trackers, not a page [default: OUT.report.html]
    #[arg(short, long, value_name = "REPORT")]
    pub output: Option<PathBuf>,
}
