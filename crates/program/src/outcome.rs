//! Results of runs and their figures, as plain data.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_engine::{Certificate, Findings, StopReason, Summary};
use minirepro_runner::{Limits, OtherCrash, Reliability, RunnerStats, Signature};

/// The figures of one session, as its decider and as the runner counted them.
#[derive(Clone, Debug, Default)]
pub struct Measured<F> {
    /// Counted by the session: tests that decided something, levels or passes, why it stopped.
    pub session: F,
    /// Counted by the runner: tests that were run, also those in vain.
    pub runner: RunnerStats,
    /// Answers that came from an earlier part of the run.
    pub reused: u64,
    /// How long the session lasted.
    pub took: Duration,
}

/// The tests before the search.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineFacts {
    /// What the failing input is called.
    pub name: String,
    /// The language of the input, where there is one.
    pub language: Option<String>,
    /// The one that the input is in by its name, if this build lacks it.
    pub absent_language: Option<String>,
    /// How many tests there were.
    pub tests: u64,
    /// The time of the slowest test of the failing input.
    pub slowest: Duration,
    /// How often single tests of the input reproduced, where that was measured.
    pub reliability: Option<Reliability>,
    /// What each test may use from now on.
    pub limits: Limits,
}

/// A result of a reduction of a file, of bytes or of a directory.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The result; an [`archive`](crate::archive) of a directory.
    pub text: Arc<[u8]>,
    /// Files before and after, of a directory.
    pub files: Option<(u64, u64)>,
    /// Where it was written.
    pub path: Option<PathBuf>,
    /// What the input is called.
    pub name: String,
    /// The language of the input.
    pub language: String,
    /// The figures of the reduction; bytes of a directory are those of all its files.
    pub figures: Measured<Summary>,
    /// How often guards of a command were run so far.
    pub guard_runs: u64,
    /// Other failures that were met so far.
    pub finds: Vec<(Signature, OtherCrash)>,
}

/// The outcome of a reduction of a file, of bytes or of a directory.
#[derive(Clone, Debug)]
pub struct ReductionOutcome {
    /// The tests before the search.
    pub baseline: BaselineFacts,
    /// One result, or one for each independent cause.
    pub results: Vec<Reduced>,
    /// Why the run ended early, if it did.
    pub stopped: Option<StopReason>,
}

impl ReductionOutcome {
    /// Returns the first result.
    pub fn text(&self) -> &[u8] {
        self.results.first().map_or(&[], |result| &result.text)
    }

    /// Returns what is certified of the first result; `None` if the run ended early.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.results.first().and_then(|result| result.figures.session.certificate.as_ref())
    }
}

/// The figures of making small what both sides of a difference have in common.
#[derive(Clone, Debug)]
pub struct MinimizedContext {
    /// The figures of the reduction.
    pub figures: Measured<Summary>,
    /// Tests of the passing side, which are not among those.
    pub counterpart_tests: u64,
}

/// A difference between a side that passes and one that fails.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The side that passes: a text, or an [`archive`](crate::archive) of several files.
    pub passing: Arc<[u8]>,
    /// The side that fails.
    pub failing: Arc<[u8]>,
    /// Where both sides were written: passing, failing.
    pub paths: Option<[PathBuf; 2]>,
    /// Bytes of both ends before the search: passing, failing.
    pub bytes_before: [usize; 2],
    /// The figures of the isolation.
    pub isolation: Measured<Findings>,
    /// The figures of making the context small, where that was wanted.
    pub minimized: Option<MinimizedContext>,
}

/// The outcome of an isolation.
#[derive(Clone, Debug)]
pub struct IsolationOutcome {
    /// The tests before the search.
    pub baseline: BaselineFacts,
    /// One difference, or one for each independent cause.
    pub differences: Vec<Difference>,
    /// The language of both texts; `None` for several files.
    pub language: Option<String>,
    /// Why the run ended early, if it did.
    pub stopped: Option<StopReason>,
}

/// The outcome of a search for words of a command line.
#[derive(Clone, Debug)]
pub struct OptionsOutcome {
    /// The tests before the search.
    pub baseline: BaselineFacts,
    /// All words in question.
    pub words: Vec<String>,
    /// Sets of words, by their places in `words`; each set is enough by itself.
    pub sets: Vec<Vec<usize>>,
    /// Tests of a single choice, outside of any search.
    pub single_tests: u64,
    /// The figures of the searches.
    pub searches: Vec<Measured<Findings>>,
    /// Why the run ended early, if it did.
    pub stopped: Option<StopReason>,
}

/// What became of one cause among several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The files or directories that it went to; the last one stands for all.
    pub paths: Vec<PathBuf>,
    /// How large it is.
    pub size: CauseSize,
}

/// The size of a cause, in the unit in which causes of its kind are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseSize {
    /// Bytes of a result.
    Bytes(u64),
    /// Lines that differ between the two sides.
    ChangedLines(u64),
    /// Words of a command line.
    Words(u64),
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

impl Verified {
    /// Makes the answer for a result without a certificate, after what began at `start`.
    pub(crate) fn new(name: &str, bytes: u64, tests: u64, start: Instant) -> Self {
        let took = start.elapsed();
        Self { name: name.to_owned(), bytes, certificate: None, tests, took }
    }

    /// Adds the cost of another answer.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { tests: self.tests + other.tests, took: self.took + other.took, ..self }
    }
}

/// How a run that was decided again by its journal compares to the run itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The same result after the same number of tests.
    Same,
    /// The run was killed; this many bytes of a record that was being written are left.
    Killed {
        /// Bytes of the torn record.
        torn: u64,
    },
}
