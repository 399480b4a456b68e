//! `--stats`: the figures of a run as JSON, version 2: those of the last event, and the curve of
//! the sizes. Fields may be added; none changes its meaning or goes without a new version.

use std::path::{Path, PathBuf};

use minirepro_program::{Event, OutputFile, Over, RunEvent, sources};
use serde::Serialize;

use super::sinks::Sink;
use super::terminal::shown;
use crate::error::CliError;
use crate::exit::Exit;

/// What is written.
#[derive(Debug, Serialize)]
struct Figures<'a> {
    version: u32,
    minirepro: &'static str,
    file: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    algorithm: &'a str,
    jobs: usize,
    baseline_tests: u64,
    #[serde(flatten)]
    over: Over<'a>,
    /// After each reduction: tests so far, tokens, bytes.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    curve: &'a [[u64; 3]],
}

/// Writes the figures of a run to a file.
#[derive(Debug)]
pub struct Stats {
    path: PathBuf,
    file: String,
    algorithm: &'static str,
    jobs: usize,
    baseline_tests: u64,
    curve: Vec<[u64; 3]>,
    json: Option<String>,
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
            let figures = serde_json::from_slice::<serde_json::Value>(there);
            figures.is_ok_and(|figures| figures.get("minirepro").is_some())
        };
        check(&path, "a file of figures", are_figures)?;
        let (file, curve) = (file.to_owned(), Vec::new());
        Ok(Self { path, file, algorithm, jobs, baseline_tests: 0, curve, json: None })
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
            RunEvent::Over(over) => {
                let figures = Figures {
                    version: 2,
                    minirepro: env!("CARGO_PKG_VERSION"),
                    file: &self.file,
                    algorithm: self.algorithm,
                    jobs: self.jobs,
                    baseline_tests: self.baseline_tests,
                    over,
                    curve: &self.curve,
                };
                let json = serde_json::to_string_pretty(&figures);
                self.json = Some(json.expect("all keys are strings") + "\n");
            }
            _ => {}
        }
    }

    fn finish(self: Box<Self>, _has_result: bool) -> Result<(), CliError> {
        let Some(json) = self.json else { return Ok(()) };
        file(&self.path)
            .write(json.as_bytes())
            .map_err(|error| CliError::new(Exit::NotWritten, error))
    }
}

/// Checks that a file can be written, and that nothing is lost by it, and writes nothing.
///
/// # Errors
/// If its directory is missing or read-only, a directory has this name, or it holds something else.
pub fn check(path: &Path, what: &str, is_ours: impl Fn(&[u8]) -> bool) -> Result<(), CliError> {
    file(path).check().map_err(|error| CliError::new(Exit::NotWritten, error))?;
    let there = sources::file(path).unwrap_or_default();
    if there.is_empty() || is_ours(&there) {
        return Ok(());
    }
    let path = shown(path);
    Err(CliError::usage(format_args!("{path} is there already, and is not {what} of minirepro"))
        .advise("Name another file, or remove this one.\n"))
}

/// Returns the file with the permissions of a new one.
fn file(path: &Path) -> OutputFile {
    OutputFile::new(path, Path::new("/dev/null/no/permissions"))
}
