//! Settings that all kinds of runs share.

use std::path::PathBuf;
use std::time::Duration;

use minirepro_engine::Budget;
use minirepro_runner::{CancelToken, Controls, Limits, RetryPolicy};

use crate::error::Invocation;
use crate::grammars::Languages;
use crate::observer::Observer;

/// The time that a test of the unchanged input may take by default.
const FIRST_TESTS: Duration = Duration::from_secs(300);

/// What a test by a process may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestLimits {
    /// From its start to its end; by default 10 times as long as on the input, at least 5 s.
    pub time: Option<Duration>,
    /// Time on a processor, for each of its processes.
    pub cpu: Option<Duration>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Processes and threads at a time.
    pub processes: Option<u64>,
}

impl TestLimits {
    /// Returns what the first tests may use, before it is known how long they take.
    pub fn of_first_tests(&self) -> Limits {
        let limits = Limits::new(self.time.unwrap_or(FIRST_TESTS));
        Limits { cpu: self.cpu, memory: self.memory, processes: self.processes, ..limits }
    }
}

/// Whether a run begins, goes on, or is looked at again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It begins, or goes on if its journal holds the same run.
    #[default]
    Begin,
    /// The run in this journal goes on.
    Resume(PathBuf),
    /// The run in this journal is decided again, without any test.
    Replay(PathBuf),
    /// The run in this journal is decided again, and then its results are searched again, with
    /// tests: are they minimal?
    Verify(PathBuf),
}

impl Mode {
    /// Returns whether the run is decided by a journal alone, at least at first.
    pub fn is_replay(&self) -> bool {
        matches!(self, Self::Replay(_) | Self::Verify(_))
    }
}

/// Where the journal of a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum JournalPlace {
    /// Nowhere: the run cannot go on.
    #[default]
    Nowhere,
    /// Beside the result, until the run is complete.
    BesideResult,
    /// In this directory, for good.
    At(PathBuf),
}

impl JournalPlace {
    /// Returns whether the journal of a complete run stays.
    pub(crate) fn is_for_good(&self) -> bool {
        matches!(self, Self::At(_))
    }
}

/// What a run keeps on disk besides its results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journaling {
    /// Whether the run begins or goes on.
    pub mode: Mode,
    /// Where its journal is.
    pub journal: JournalPlace,
    /// Begin anew even if the same run was interrupted before.
    pub fresh: bool,
    /// How the run was started, for messages of later runs.
    pub invocation: Invocation,
}

/// Commands that start agents on other machines, which run the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workers {
    /// The commands, for a shell: each connects its standard input and output to `minirepro agent`.
    pub commands: Vec<String>,
    /// How many tests this process runs itself beside them; possibly none.
    pub own_jobs: usize,
}

/// What all kinds of runs share.
pub struct Settings<'a> {
    /// How many tests run at the same time. The result does not depend on it.
    pub jobs: usize,
    /// The workers that run tests instead of this process. If there are any, `jobs` only
    /// counts for the last tests, which this process runs.
    pub workers: Workers,
    /// What a test by a process may use.
    pub limits: TestLimits,
    /// How often a candidate is tested before its answer counts.
    pub retry: RetryPolicy,
    /// When to stop early. The time is counted from the start of the run, its first tests included.
    pub budget: Budget,
    /// What is kept on disk besides the results.
    pub journaling: Journaling,
    /// Whether compilers of C and C++ in a test may be asked, with the arguments that they get
    /// there, for the preprocessed text and for the syntax tree.
    pub runs_compilers: bool,
    /// Files and directories that every test finds beside its candidate. A
    /// command ([`TestSpec`](crate::TestSpec)) finds the files that its input names without being asked.
    pub companions: Vec<PathBuf>,
    /// The languages that there are.
    pub languages: Languages,
    /// Replace what is in the way of a result, even if it may not be a result of an earlier run.
    pub overwrite: bool,
    /// What the caller reads besides; the run does not write there.
    pub also_read: Vec<PathBuf>,
    /// What the caller writes besides, with names for messages; the run does not write there.
    pub also_written: Vec<(&'static str, PathBuf)>,
    /// A request of the caller to end the run.
    pub stop: Option<CancelToken>,
    /// Wishes of somebody who watches the run.
    pub controls: Option<Controls>,
    /// Gets all events.
    pub observer: Option<Box<dyn Observer + 'a>>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            jobs: 1,
            workers: Workers::default(),
            limits: TestLimits::default(),
            retry: RetryPolicy::Repeat(1),
            budget: Budget::default(),
            journaling: Journaling::default(),
            runs_compilers: true,
            companions: Vec::new(),
            languages: Languages::default(),
            overwrite: false,
            also_read: Vec::new(),
            also_written: Vec::new(),
            stop: None,
            controls: None,
            observer: None,
        }
    }
}
