//! A request to find the bugs that many inputs show.

use std::path::PathBuf;
use std::time::Duration;

use minirepro_runner::{CancelToken, RetryPolicy};

use crate::batch::event::BatchEvent;
use crate::batch::plan::JobPlan;
use crate::error::Invocation;
use crate::grammars::Languages;
use crate::request::reduction::{Format, LanguageChoice};
use crate::request::settings::{TestLimits, Workers};
use crate::tester::command::Command;

/// What says whether an input fails.
#[derive(Clone, Debug)]
pub enum BatchTest {
    /// A command that fails, each time with a signature.
    Command(Command),
    /// A script that accepts an input by exit code 0. What it prints is the signature, if it can be
    /// recognised.
    Script(PathBuf),
}

/// A request to find the bugs that many inputs show.
pub struct Batch<'a> {
    /// Files, and directories with files.
    pub inputs: Vec<PathBuf>,
    /// What says whether one fails.
    pub test: BatchTest,
    /// The directory of the results, and of all that the batch needs to go on.
    pub output: PathBuf,
    /// The language of the inputs.
    pub language: LanguageChoice,
    /// What becomes of the blank space of results.
    pub format: Format,
    /// Decides at which moments inputs are run again.
    pub seed: u64,
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
    /// Tells how a reduction could be started alone, for its journal.
    pub invocation: &'a (dyn Fn(&JobPlan) -> Invocation + Sync),
    /// Gets the events, from several threads.
    pub observer: &'a (dyn Fn(&BatchEvent<'_>) + Sync),
}
