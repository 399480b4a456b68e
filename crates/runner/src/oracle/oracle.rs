//! The interface of a test: an experiment that tells whether a candidate reproduces the failure.

use std::any::Any;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use minirepro_engine::Outcome;

use crate::{CancelToken, TestEnd};

/// A test that tells whether a candidate reproduces the failure.
pub trait Oracle: Send + Sync {
    /// Tests one candidate. Must return soon after `stop` is set, with [`TestEnd::Stopped`] if
    /// there is no answer yet.
    ///
    /// # Errors
    /// If the test itself does not work. That says nothing about the candidate, and the run cannot
    /// go on.
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError>;

    /// Tests once more and returns the last lines that the test wrote, for an error message.
    fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        self.inner().map_or_else(String::new, |inner| inner.explain(candidate, stop))
    }

    /// Is told that all candidates from now on are results.
    fn begin_confirmation(&self) {
        if let Some(inner) = self.inner() {
            inner.begin_confirmation();
        }
    }

    /// Returns the test that this one asks, if it stands in front of another one.
    fn inner(&self) -> Option<&dyn Oracle> {
        None
    }
}

/// The finding of one test.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The verdict on the candidate.
    pub outcome: Outcome,
    /// How the test ended.
    pub ending: TestEnd,
    /// From its start to its end.
    pub time: Duration,
}

/// Why a run cannot go on, though its test may work.
#[derive(Debug, thiserror::Error)]
pub enum WorkersError {
    /// None can be used.
    #[error("no worker can be used: {last}")]
    NoneUsable {
        /// Why the last one cannot.
        last: String,
    },
    /// None is left.
    #[error("no worker is left; the last one was lost because {last}")]
    AllLost {
        /// Why the last one was lost.
        last: String,
    },
    /// A candidate seems to be the reason.
    #[error("{times} workers were lost one after the other with the same candidate; {last}")]
    SameCandidate {
        /// How many.
        times: u32,
        /// Why the last one was lost.
        last: String,
    },
}

/// The error for a test that gave no answer.
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
        /// The last lines that it wrote; possibly none.
        output: String,
    },
    /// The kernel does not know how to run the script.
    #[error(
        "cannot run {}: it is neither a program nor begins with a `#!` line",
        .script.display()
    )]
    NoInterpreterLine {
        /// The test.
        script: PathBuf,
    },
    /// The script's `#!` line names something that does not exist.
    #[error("cannot run {}: its first line asks for `{interpreter}`, which does not exist", .script.display())]
    NoInterpreter {
        /// The test.
        script: PathBuf,
        /// The text after `#!`.
        interpreter: String,
    },
    /// The system could not start the test.
    #[error("cannot start {}: {error}", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The reason that the system gives.
        error: io::Error,
    },
    /// The test is code of this process, and has panicked.
    #[error("the test panicked: {message}")]
    Panicked {
        /// What it said.
        message: String,
    },
    /// The test cannot be asked at all, for this reason.
    #[error("{message}")]
    Unusable {
        /// The reason.
        message: String,
    },
    /// There is nobody to run the test.
    #[error(transparent)]
    Workers(#[from] WorkersError),
    /// A run is being replayed, and its journal has no answer to this question.
    #[error("the journal ends here")]
    JournalExhausted,
    /// The candidate cannot be written to a scratch directory.
    #[error(
        "cannot write to the scratch directory {}: {error}",
        .path.display()
    )]
    Scratch {
        /// The directory.
        path: PathBuf,
        /// The reason that the system gives.
        error: io::Error,
    },
}

impl OracleError {
    /// Returns the error for a test that has panicked with this payload.
    pub fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self::Panicked { message: text.unwrap_or("with a value that is not a text").to_owned() }
    }
}

/// The error for a consultation without an answer.
#[derive(Debug, thiserror::Error)]
pub enum ConsultError {
    /// It was interrupted.
    #[error("interrupted")]
    Stopped,
    /// The journal of the run that is decided again holds no answer.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}
