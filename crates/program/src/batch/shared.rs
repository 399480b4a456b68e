//! What the reductions of a batch have in common.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use minirepro_runner::CancelToken;

use crate::batch::request::Batch;
use crate::batch::run_log::RunLog;
use crate::request::settings::{Settings, TestLimits};

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

    /// Returns the directory of reductions.
    pub fn jobs_directory(&self) -> PathBuf {
        self.output.join(STATE).join("jobs")
    }

    /// Returns the settings of a reduction.
    pub fn settings(&self, jobs: usize) -> io::Result<Settings<'static>> {
        let request = self.request;
        Ok(Settings {
            jobs,
            workers: request.workers.clone(),
            limits: request.limits,
            retry: request.retry,
            companions: request.companions.clone(),
            languages: request.languages.clone(),
            stop: Some(self.stop.below()?),
            overwrite: true,
            ..Settings::default()
        })
    }

    /// Returns whether programs that do not end are reduced: each test takes as long as it may, so
    /// the user must have said how long that is.
    pub fn may_reduce_hangs(&self) -> bool {
        self.request.limits.time.is_some()
    }
}

/// The directory of all that a batch needs to go on.
pub const STATE: &str = ".batch";

/// Returns what a run of an input may use.
pub fn run_limits(request: &Batch<'_>) -> TestLimits {
    TestLimits { time: Some(request.limits.time.unwrap_or(RUN_TIME)), ..request.limits }
}
