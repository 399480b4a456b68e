//! `--stats`: the figures of a run as JSON, version 1. Fields may be added; none changes its
//! meaning or goes without a new version.

use std::time::Duration;

use minirepro_engine::{Event, PassStats, Summary};
use minirepro_runner::Tally;
use serde::Serialize;

/// Collects what the summary does not say.
#[derive(Debug, Default)]
pub struct Curve(Vec<[u64; 3]>);

impl Curve {
    /// Takes an event.
    pub fn event(&mut self, event: &Event) {
        if let Event::Reduced { tokens, text, tests } = event {
            self.0.push([*tests, *tokens, text.len() as u64]);
        }
    }
}

/// The whole file.
#[derive(Debug, Serialize)]
pub struct Stats<'a> {
    version: u32,
    minirepro: &'static str,
    file: &'a str,
    language: &'a str,
    algorithm: &'a str,
    jobs: usize,
    tokens: Change,
    bytes: Change,
    /// Tests that decided something. The same for any number of jobs.
    tests: u64,
    /// Tests that were run, also those in vain.
    tests_run: u64,
    timeouts: u64,
    /// Tests that were ended because they wrote too much or needed too much memory.
    exceeded: u64,
    baseline_tests: u64,
    guard_runs: u64,
    infeasible: u64,
    remembered: u64,
    seconds: f64,
    test_seconds: f64,
    /// Between the end of a test and the start of the next, at the median; with one job.
    #[serde(skip_serializing_if = "Option::is_none")]
    between_tests_seconds: Option<f64>,
    time_limit_seconds: f64,
    /// What limits memory and processes, if they are limited: `cgroup` or `rlimit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    limited_by: Option<&'static str>,
    stopped: Option<&'a str>,
    certificate: Option<Certificate>,
    passes: Vec<Pass<'a>>,
    /// After each reduction: tests so far, tokens, bytes.
    curve: &'a [[u64; 3]],
}

#[derive(Debug, Serialize)]
struct Change {
    before: u64,
    after: u64,
}

#[derive(Debug, Serialize)]
struct Certificate {
    /// All kinds that were tried, and how many edits of each the result has.
    edit_kinds: Vec<&'static str>,
    edits: Vec<usize>,
    refused: u64,
    unresolved: u64,
}

#[derive(Debug, Serialize)]
struct Pass<'a> {
    name: &'a str,
    told: u64,
    fail: u64,
    pass: u64,
    unresolved: u64,
    infeasible: u64,
    remembered: u64,
    not_smaller: u64,
    tokens_won: u64,
    bytes_won: i64,
    seconds: f64,
}

/// What a run is called and how it went, as far as the summary does not know.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The input.
    pub file: &'a str,
    /// Its language.
    pub language: &'a str,
    /// The algorithm.
    pub algorithm: &'a str,
    /// Tests at a time.
    pub jobs: usize,
    /// Tests before the search.
    pub baseline_tests: u64,
    /// Runs of guards, after tests that reproduced.
    pub guard_runs: u64,
    /// The time that a test may take.
    pub limit: Duration,
    /// What limits memory and processes, if they are.
    pub limited_by: Option<&'static str>,
    /// What the runner counted.
    pub tally: Tally,
    /// The time of the search.
    pub took: Duration,
}

impl<'a> Stats<'a> {
    /// Puts the figures together.
    pub fn new(run: &Run<'a>, summary: &'a Summary, curve: &'a Curve) -> Self {
        let change = |(before, after)| Change { before, after };
        Self {
            version: 1,
            minirepro: env!("CARGO_PKG_VERSION"),
            file: run.file,
            language: run.language,
            algorithm: run.algorithm,
            jobs: run.jobs,
            tokens: change(summary.tokens),
            bytes: change(summary.bytes),
            tests: summary.tests,
            tests_run: run.tally.tests,
            timeouts: run.tally.timeouts,
            exceeded: run.tally.exceeded,
            baseline_tests: run.baseline_tests,
            guard_runs: run.guard_runs,
            infeasible: summary.infeasible,
            remembered: summary.remembered,
            seconds: run.took.as_secs_f64(),
            test_seconds: run.tally.time.as_secs_f64(),
            between_tests_seconds: run.tally.between.map(|time| time.as_secs_f64()),
            time_limit_seconds: run.limit.as_secs_f64(),
            limited_by: run.limited_by,
            stopped: summary.stopped.as_deref(),
            certificate: summary.certificate.as_ref().map(|c| Certificate {
                edit_kinds: c.edit_kinds.iter().map(|kind| kind.name).collect(),
                edits: c.edit_kinds.iter().map(|kind| kind.count).collect(),
                refused: c.refused,
                unresolved: c.unresolved,
            }),
            passes: summary.passes.iter().map(|(name, stats)| pass(name, stats)).collect(),
            curve: &curve.0,
        }
    }

    /// As JSON, with a line end.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("all keys are strings") + "\n"
    }
}

fn pass<'a>(name: &'a str, stats: &PassStats) -> Pass<'a> {
    let [fail, pass, unresolved] = stats.tested;
    Pass {
        name,
        told: stats.told,
        fail,
        pass,
        unresolved,
        infeasible: stats.infeasible,
        remembered: stats.remembered,
        not_smaller: stats.not_smaller,
        tokens_won: stats.tokens_won,
        bytes_won: stats.bytes_won,
        seconds: stats.time.as_secs_f64(),
    }
}
