//! The places of a run: what it reads, and where its results and other failures go.

use std::path::PathBuf;

/// Where the things of a run are and go.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The file or directory whose name and permissions candidates get.
    pub file: PathBuf,
    /// What no result may overwrite.
    pub sources: Vec<PathBuf>,
    /// The results.
    pub results: Vec<PathBuf>,
    /// Whether results are directories.
    pub are_directories: bool,
    /// The result beside which the journal goes.
    pub journal_beside: Option<PathBuf>,
    /// Where inputs go that show other failures.
    pub finds: Option<PathBuf>,
}
