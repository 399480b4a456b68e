//! Why a batch ends without results.

use std::io;
use std::path::PathBuf;

use minirepro_runner::OutputError;

use crate::error::Error;

/// Why there are no results of a batch.
#[derive(Debug, thiserror::Error, strum::EnumProperty, strum::EnumMessage)]
pub enum BatchError {
    /// No file is an input.
    #[error("there is no input: no file is named, and no directory holds one")]
    NoInputs,
    /// Something else is where the results go.
    #[error("{} is there already, and holds no batch", .0.display())]
    #[strum(message = "Name another directory with -o, or remove it to begin anew.")]
    OutputTaken(PathBuf),
    /// The results would be taken for inputs.
    #[error("{} is one of the inputs or lies below them", .0.display())]
    #[strum(message = "Name a directory outside of the inputs with -o.")]
    OutputIsInput(PathBuf),
    /// Somebody has changed an input.
    #[error("{} has changed since the batch began; the same command goes on", .0.display())]
    Changed(PathBuf),
    /// In this directory is a batch for which these facts do not hold.
    #[error("{}: another batch was begun there: {} changed", .0.display(), .1)]
    #[strum(message = "Name another directory with -o, or remove it to begin anew.")]
    Other(PathBuf, String),
    /// This file does not hold the results of an earlier batch to compare with.
    #[error("{} is no list of bugs of this version: {}", .0.display(), .1)]
    Earlier(PathBuf, String),
    /// A run of the test or a reduction ended the batch.
    #[error(transparent)]
    Run(#[from] Error),
    /// Something cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A result cannot be written.
    #[error(transparent)]
    #[strum(props(exit = "NotWritten"))]
    Output(#[from] OutputError),
}
