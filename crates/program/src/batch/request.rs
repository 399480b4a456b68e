//! A request to find the bugs that many inputs show.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use minirepro_runner::{CancelToken, RetryPolicy};

use crate::batch::job::{JobPlan, Record};
use crate::batch::run_log::RunLog;
use crate::error::Invocation;
use crate::grammars::Languages;
use crate::request::{LanguageChoice, TestLimits, Workers};
use crate::tester::subject::Test;

/// A request to find the bugs that many inputs show.
pub struct Batch<'a> {
    /// Files, and directories with files.
    pub inputs: Vec<PathBuf>,
    /// What says whether one fails: a command, each time with a signature, a script, or anything
    /// else. What a script prints is the signature, if it can be recognised.
    pub test: &'a dyn Test,
    /// The directory of the results, and of all that the batch needs to go on.
    pub output: PathBuf,
    /// The language of the inputs.
    pub language: LanguageChoice,
    /// The results of an earlier batch, to tell which bugs are new.
    pub new_since: Option<PathBuf>,
    /// How many tests run at the same time, in all reductions together.
    pub jobs: usize,
    /// The workers that run the tests of reductions, which then run one after the other.
    pub workers: Workers,
    /// What a test may use; by default, a run of an input takes at most 10 s.
    pub limits: TestLimits,
    /// How often a candidate is tested before its answer counts.
    pub retry: RetryPolicy,
    /// Files and directories that every test finds beside its candidate.
    pub companions: Vec<PathBuf>,
    /// The languages that there are.
    pub languages: Languages,
    /// When to stop early.
    pub max_time: Option<Duration>,
    /// A request to end.
    pub stop: CancelToken,
    /// How it was started.
    pub began_as: Invocation,
    /// Tells how a reduction could be started alone, for its journal.
    pub alone: &'a (dyn Fn(&JobPlan) -> Invocation + Sync),
    /// Gets the events, from several threads.
    pub observer: &'a (dyn Fn(&BatchEvent<'_>) + Sync),
}

/// Something that happened in a batch.
#[derive(Clone, Copy, Debug)]
pub enum BatchEvent<'a> {
    /// The files were read.
    Read {
        /// Different inputs.
        inputs: usize,
        /// Files that are none, with the reason.
        ignored: &'a [(PathBuf, &'static str)],
    },
    /// A run of an input ended.
    Ran {
        /// All runs so far.
        runs: usize,
        /// Those that there will be at least.
        of: usize,
    },
    /// Failures were sorted.
    Sorted {
        /// Inputs that fail.
        failing: usize,
        /// Their signatures.
        variants: usize,
        /// Messages in different functions.
        families: usize,
    },
    /// A reduction ended.
    Reduced {
        /// What it did.
        plan: &'a JobPlan,
        /// What it has given.
        record: &'a Record,
    },
}

/// How long a run of an input may take by default.
const RUN_TIME: Duration = Duration::from_secs(10);

/// What all reductions of a batch share.
pub struct Shared<'b> {
    pub request: &'b Batch<'b>,
    pub stop: CancelToken,
    pub output: PathBuf,
    /// What the batch has seen and done.
    pub log: Mutex<RunLog>,
}

impl<'b> Shared<'b> {
    /// Lends what the batch has seen and done.
    pub fn log(&self) -> MutexGuard<'_, RunLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The directory of all that a batch needs to go on.
pub const STATE: &str = ".batch";

/// Returns what a run of an input may use.
pub fn run_limits(request: &Batch<'_>) -> TestLimits {
    TestLimits { time: Some(request.limits.time.unwrap_or(RUN_TIME)), ..request.limits }
}
