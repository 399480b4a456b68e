//! The user's experiment on one candidate, seen from outside. Knows no way to do it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::Outcome;

use crate::Stop;

/// Something that can say whether a candidate reproduces the failure.
pub trait Oracle: Send + Sync {
    /// Tests one candidate. Must return soon after `stop` is set, with [`Ending::Stopped`] if
    /// there is no answer yet.
    ///
    /// # Errors
    /// When the experiment itself does not work, which says nothing about the candidate; the run
    /// cannot go on.
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError>;

    /// While a test runs: one of these candidates may be the next. Whatever helps can be done for them;
    /// what was done for others is not needed any more.
    fn prepare(&self, _candidates: &[Arc<[u8]>]) {}

    /// Tests once more and returns the last lines that the test wrote, for an error message.
    fn explain(&self, _candidate: &[u8], _stop: &Stop) -> String {
        String::new()
    }
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With this exit code.
    Exited(i32),
    /// By this signal, which we did not send.
    Signaled(i32),
    /// We ended it because its time was up.
    TimedOut,
    /// It was ended because it used too much.
    Exceeded(Excess),
    /// We ended it because nobody wants the answer any more.
    Stopped,
}

/// What a test used too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Excess {
    /// It wrote more to its standard output or standard error than [`Limits::output`].
    ///
    /// [`Limits::output`]: crate::Limits::output
    Output,
    /// The memory of its control group.
    Memory,
}

/// What one test showed.
#[derive(Clone, Debug)]
pub struct Observation {
    /// What it says about the candidate.
    pub outcome: Outcome,
    /// How the test ended.
    pub ending: Ending,
    /// From its start to its end.
    pub time: Duration,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// The test says (exit code 126 or 127) that it cannot work.
    #[error(
        "the test script is broken: it ended with exit code {code} ({})",
        if *.code == 127 { "a command was not found" } else { "a command could not be run" }
    )]
    Broken {
        /// 126 or 127.
        code: i32,
        /// The last lines that it wrote, maybe none.
        output: String,
    },
    /// The kernel does not know how to run the script.
    #[error(
        "cannot run {}: it is neither a program nor begins with a `#!` line; \
         let its first line be `#!/bin/sh`",
        .script.display()
    )]
    NoInterpreterLine {
        /// The test.
        script: PathBuf,
    },
    /// The script's `#!` line names something that does not exist.
    #[error("cannot run {}: its first line asks for `{interpreter}`, which does not exist{}",
        .script.display(), if .interpreter.ends_with("\\r") { " (the line ends like on Windows; use Unix line ends)" } else { "" })]
    NoInterpreter {
        /// The test.
        script: PathBuf,
        /// What stands behind `#!`.
        interpreter: String,
    },
    /// The system could not start the test.
    #[error("cannot start {}: {error}", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A run is decided again, and there is no answer to this question.
    #[error("the journal ends here")]
    Unknown,
    /// No scratch directory for the candidate.
    #[error(
        "cannot write to the scratch directory {}: {error}; \
         set TMPDIR to a directory with enough space",
        .path.display()
    )]
    Scratch {
        /// Where.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}
