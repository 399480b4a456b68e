//! `minirepro man`.

use std::path::PathBuf;

use clap::Args;

/// Print the manual page, or write one for each subcommand into DIR
///
/// To read it now: minirepro man | man -l -
#[derive(Debug, Args)]
pub struct Man {
    /// Where `minirepro.1`, `minirepro-isolate.1` and so on go [default: only the first one, to
    /// standard output]
    pub dir: Option<PathBuf>,
}
