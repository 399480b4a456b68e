//! Why a batch ends without results.

use std::io;
use std::path::PathBuf;

use minirepro_runner::OutputError;

use crate::batch::run_log::LogError;
use crate::error::Error;

/// Why there are no results of a batch.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// No file is an input.
    #[error("no file is an input")]
    NoInputs,
    /// Something else is where the results go.
    #[error("{} is there already, and holds no batch", .0.display())]
    OutputTaken(PathBuf),
    /// The results would be taken for inputs.
    #[error("{} is one of the inputs or lies below them", .0.display())]
    OutputIsInput(PathBuf),
    /// Somebody has changed an input.
    #[error("{} has changed since the batch began; the same command goes on", .0.display())]
    Changed(PathBuf),
    /// The batch cannot be begun, or gone on with.
    #[error("{}: {error}", .path.display())]
    Log {
        /// Its directory.
        path: PathBuf,
        /// Why not.
        error: LogError,
    },
    /// There is no earlier batch to compare with.
    #[error(transparent)]
    Earlier(ListError),
    /// A run of the test or a reduction ended the batch.
    #[error(transparent)]
    Run(#[from] Error),
    /// Something cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A result cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A record cannot be written.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It was asked to end.
    #[error("interrupted")]
    Stopped,
}

/// Why the list of an earlier batch cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} is no list of bugs of this version: {why}", .path.display())]
pub struct ListError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub why: String,
}
