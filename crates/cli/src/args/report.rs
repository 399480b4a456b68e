//! `minirepro report`.

use std::path::PathBuf;

use clap::Args;

use super::values::Tracker;

/// Write a report of a run that can be attached to a bug
///
/// The run is decided again from its journal, without any test. The journal of a complete run is
/// there if the run had --history, --journal or --report.
#[derive(Debug, Args)]
pub struct Report {
    /// The result of the run, or the directory of its journal
    #[arg(value_name = "OUT|DIR")]
    pub run: PathBuf,
    /// Where the report goes; `-` is standard output [default: OUT.report.html or OUT.report.md]
    #[arg(short, long, value_name = "REPORT")]
    pub output: Option<PathBuf>,
    /// Write Markdown, for bug trackers, instead of a page
    #[arg(long)]
    pub markdown: bool,
    /// Write it in the layout that an issue tracker asks for: llvm, gcc, rust, chromium, mozilla or
    /// github
    #[arg(long = "for", value_name = "TRACKER", value_enum, hide_possible_values = true)]
    pub tracker: Option<Tracker>,
    /// Show the command as it was typed, with the options that do not matter
    #[arg(long)]
    pub keep_command: bool,
}
