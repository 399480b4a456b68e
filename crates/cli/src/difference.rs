//! The figures of isolated differences, of whatever kind. Knows nothing about how they were found.

use std::sync::Arc;

use minirepro_engine::Summary;
use serde::Serialize;

use crate::findings::Figures;
use crate::trial::Bench;

/// `--stats`, version 1.
#[derive(Debug, Serialize)]
pub struct Stats<'a> {
    version: u32,
    minirepro: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    jobs: usize,
    baseline_tests: u64,
    #[serde(flatten)]
    first: One,
    /// Of further causes (`--all`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<One>,
}

impl<'a> Stats<'a> {
    /// Of these differences, at least one.
    pub fn new(bench: &Bench<'_>, language: Option<&'a str>, found: Vec<One>) -> Self {
        let mut found = found.into_iter();
        Self {
            version: 1,
            minirepro: env!("CARGO_PKG_VERSION"),
            language,
            jobs: bench.common.jobs,
            baseline_tests: bench.baseline_tests,
            first: found.next().expect("a run without result is an error"),
            more: found.collect(),
        }
    }
}

/// One difference.
#[derive(Debug, Serialize)]
pub struct One {
    /// Before and after.
    pub passing_bytes: [usize; 2],
    /// Before and after.
    pub failing_bytes: [usize; 2],
    /// What passes, what fails.
    #[serde(skip)]
    pub ends: (Arc<[u8]>, Arc<[u8]>),
    /// The search.
    pub isolation: Figures,
    /// That of what both have in common.
    pub minimisation: Option<Minimisation>,
    /// As a diff.
    pub difference: String,
}

impl One {
    /// Both sides.
    pub fn result(&self) -> Vec<u8> {
        [&self.ends.0[..], b"\0", &self.ends.1].concat()
    }
}

/// The figures of `--minimise`.
#[derive(Debug, Serialize)]
pub struct Minimisation {
    tests: u64,
    tests_of_the_passing_side: u64,
    tokens: [u64; 2],
    stopped: Option<String>,
}

impl Minimisation {
    /// Of a run with so many tests of the passing side.
    pub fn of(summary: &Summary, counterparts: u64) -> Self {
        Self {
            tests: summary.tests,
            tests_of_the_passing_side: counterparts,
            tokens: [summary.tokens.0, summary.tokens.1],
            stopped: summary.stopped.clone(),
        }
    }
}
