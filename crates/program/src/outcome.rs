//! Results of runs and their figures, as plain data.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Certificate, Findings, StopReason, Summary, seconds};
use minirepro_runner::{Limits, OtherCrash, Reliability, RunnerStats, Signature};
use serde::{Serialize, Serializer};

/// The figures of one session, as its decider and as the runner counted them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measured<F> {
    /// Counted by the session: tests that decided something, levels or passes, why it stopped.
    #[serde(flatten)]
    pub session: F,
    /// Counted by the runner: tests that were run, also those in vain.
    #[serde(flatten)]
    pub runner: RunnerStats,
    /// Answers that came from an earlier part of the run.
    #[serde(skip)]
    pub reused: u64,
    /// How long the session lasted.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub took: Duration,
}

impl Measured<()> {
    /// Adds what the session has counted.
    pub(crate) fn of<F>(self, session: F) -> Measured<F> {
        let Self { runner, reused, took, .. } = self;
        Measured { session, runner, reused, took }
    }
}

/// The tests before the search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BaselineFacts {
    /// What the failing input is called.
    #[serde(skip)]
    pub name: String,
    /// The language of the input, where there is one.
    pub language: Option<String>,
    /// The one that the input is in by its name, if this build lacks it.
    #[serde(skip)]
    pub absent_language: Option<String>,
    /// How many tests there were.
    pub tests: u64,
    /// The time of the slowest test of the failing input.
    #[serde(serialize_with = "seconds")]
    pub slowest: Duration,
    /// How often single tests of the input reproduced, where that was measured.
    #[serde(skip)]
    pub reliability: Option<Reliability>,
    /// What each test may use from now on.
    #[serde(rename = "time_limit", serialize_with = "time_limit")]
    pub limits: Limits,
}

/// A result of a reduction of a file, of bytes or of a directory.
#[derive(Clone, Debug, Serialize)]
pub struct Reduced {
    /// The result; an [`archive`](crate::archive) of a directory.
    #[serde(skip)]
    pub text: Arc<[u8]>,
    /// Files before and after, of a directory.
    #[serde(serialize_with = "files", skip_serializing_if = "Option::is_none")]
    pub files: Option<(u64, u64)>,
    /// Where it was written.
    pub path: Option<PathBuf>,
    /// What the input is called.
    pub name: String,
    /// The language of the input.
    pub language: String,
    /// The figures of the reduction; bytes of a directory are those of all its files.
    #[serde(flatten)]
    pub figures: Measured<Summary>,
    /// How often guards of a command were run so far.
    pub guard_runs: u64,
    /// Other failures that were met so far.
    #[serde(skip)]
    pub finds: Vec<(Signature, OtherCrash)>,
}

/// The outcome of a reduction of a file, of bytes or of a directory.
#[derive(Clone, Debug, Serialize)]
pub struct ReductionOutcome {
    /// The tests before the search.
    #[serde(skip)]
    pub baseline: BaselineFacts,
    /// The result.
    #[serde(flatten)]
    pub result: Reduced,
    /// Why the run ended early, if it did.
    #[serde(skip)]
    pub stopped: Option<StopReason>,
}

impl ReductionOutcome {
    /// Returns the text of the result.
    pub fn text(&self) -> &[u8] {
        &self.result.text
    }

    /// Returns what is certified of the result; `None` if the run ended early.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.result.figures.session.certificate.as_ref()
    }
}

/// A difference between a side that passes and one that fails.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The side that passes: a text, or an [`archive`](crate::archive) of several files.
    #[serde(serialize_with = "length")]
    pub passing: Arc<[u8]>,
    /// The side that fails.
    #[serde(serialize_with = "length")]
    pub failing: Arc<[u8]>,
    /// Where both sides were written: passing, failing.
    pub paths: Option<[PathBuf; 2]>,
    /// Bytes of both ends before the search: passing, failing.
    pub bytes_before: [usize; 2],
    /// The figures of the isolation.
    pub isolation: Measured<Findings>,
}

/// The outcome of an isolation.
#[derive(Clone, Debug, Serialize)]
pub struct IsolationOutcome {
    /// The tests before the search.
    #[serde(skip)]
    pub baseline: BaselineFacts,
    /// The difference.
    #[serde(flatten)]
    pub difference: Difference,
    /// The language of both texts; `None` for several files.
    pub language: Option<String>,
    /// Why the run ended early, if it did.
    pub stopped: Option<StopReason>,
}

/// The outcome of a search for words of a command line.
#[derive(Clone, Debug, Serialize)]
pub struct OptionsOutcome {
    /// The tests before the search.
    #[serde(skip)]
    pub baseline: BaselineFacts,
    /// All words in question.
    pub words: Vec<String>,
    /// The words that are needed, by their places in `words`.
    pub needed: Vec<usize>,
    /// Tests of a single choice, outside of any search.
    pub single_tests: u64,
    /// The figures of the searches.
    pub searches: Vec<Measured<Findings>>,
    /// Why the run ended early, if it did.
    pub stopped: Option<StopReason>,
}

/// Writes the time that a test may take, in seconds.
fn time_limit<S: Serializer>(limits: &Limits, to: S) -> Result<S::Ok, S::Error> {
    seconds(&limits.time, to)
}

fn files<S: Serializer>(files: &Option<(u64, u64)>, to: S) -> Result<S::Ok, S::Error> {
    minirepro_engine::change(&files.unwrap_or_default(), to)
}

/// Writes how long a text is.
fn length<S: Serializer>(text: &Arc<[u8]>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(text.len() as u64)
}

/// The answer to the question whether a result holds.
#[derive(Clone, Debug)]
pub struct Verified {
    /// What the result is called.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What is certified again.
    pub certificate: Option<Certificate>,
    /// Tests that decided something.
    pub tests: u64,
    /// How long it took.
    pub took: Duration,
}
