//! `--stats`: the figures of a run as JSON, version 2: those of the last event, and the curve of
//! the sizes. Fields may be added; none changes its meaning or goes without a new version.

use std::path::PathBuf;

use minirepro_program::{Event, RunEvent};
use serde::Serialize;
use serde_json::Value;

use super::files;
use super::sinks::Sink;
use crate::error::CliError;

/// Writes the figures of a run to a file.
#[derive(Debug, Serialize)]
pub struct Stats {
    #[serde(skip)]
    path: PathBuf,
    version: u32,
    minirepro: &'static str,
    file: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    algorithm: &'static str,
    jobs: usize,
    baseline_tests: u64,
    /// What the last event says.
    #[serde(flatten)]
    over: Option<Value>,
    /// After each reduction: tests so far, tokens, bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    curve: Vec<[u64; 3]>,
}

impl Stats {
    /// Makes one for a run on an input of this name.
    ///
    /// # Errors
    /// If the file cannot be written, or holds something else.
    pub fn new(
        path: PathBuf,
        file: &str,
        algorithm: &'static str,
        jobs: usize,
    ) -> Result<Self, CliError> {
        let are_figures = |there: &[u8]| {
            let figures = serde_json::from_slice::<Value>(there);
            figures.is_ok_and(|figures| figures.get("minirepro").is_some())
        };
        files::check(&path, "a file of figures", are_figures)?;
        let (minirepro, file) = (env!("CARGO_PKG_VERSION"), file.to_owned());
        let (baseline_tests, over, curve) = (0, None, Vec::new());
        Ok(Self { path, version: 2, minirepro, file, algorithm, jobs, baseline_tests, over, curve })
    }
}

impl Sink for Stats {
    fn event(&mut self, event: &RunEvent<'_>) {
        match *event {
            RunEvent::WorkersReady { jobs, .. } => self.jobs = jobs,
            RunEvent::BaselineDone(facts) => self.baseline_tests = facts.tests,
            RunEvent::Step { event: Event::Reduced { tokens, text, tests }, .. } => {
                self.curve.push([*tests, *tokens, text.len() as u64]);
            }
            RunEvent::Over(over) => self.over = serde_json::to_value(over).ok(),
            _ => {}
        }
    }

    fn finish(self: Box<Self>, _has_result: bool) -> Result<(), CliError> {
        if self.over.is_none() {
            return Ok(());
        }
        let json = serde_json::to_string_pretty(&self).expect("all keys are strings");
        files::write(&self.path, (json + "\n").as_bytes())
    }
}
