//! One measured run as a line of JSON: the fields that all reducers have, and some of ours alone.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::numbers::{seconds, thousands};

/// A run of a reducer on a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The reducer.
    pub tool: String,
    /// The name of the case's directory.
    pub case: String,
    /// The algorithm, where the reducer has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Tokens before.
    #[serde(default)]
    pub in_tokens: u64,
    /// Tokens left.
    pub tokens: u64,
    /// Bytes left.
    #[serde(default)]
    pub bytes: u64,
    /// Tests that decided.
    pub tests: u64,
    /// Wall time. Only times of one machine and hour compare.
    #[serde(default)]
    pub seconds: f64,
    /// Stopped by the clock before its end.
    #[serde(default)]
    pub timed_out: bool,
    /// What the tool itself called its result did not reproduce.
    #[serde(default)]
    pub own_result_bad: bool,
    /// When, or by whom.
    #[serde(default)]
    pub source: String,
    /// After each reduction: tests so far, tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<[u64; 2]>,
}

/// What `--stats` writes, as far as we look at it.
#[derive(Debug, Deserialize)]
pub(crate) struct Stats {
    tokens: Change,
    bytes: Change,
    tests: u64,
    seconds: f64,
    stopped: Option<String>,
    curve: Vec<[u64; 3]>,
}

#[derive(Debug, Deserialize)]
struct Change {
    before: u64,
    after: u64,
}

impl Record {
    pub(crate) fn of_run(case: String, algorithm: &str, stats: Stats, source: String) -> Self {
        Self {
            tool: "minirepro".into(),
            case,
            algorithm: Some(algorithm.into()),
            in_tokens: stats.tokens.before,
            tokens: stats.tokens.after,
            bytes: stats.bytes.after,
            tests: stats.tests,
            seconds: stats.seconds,
            timed_out: stats.stopped.is_some(),
            own_result_bad: false,
            source,
            curve: stats.curve.into_iter().map(|[tests, tokens, _]| [tests, tokens]).collect(),
        }
    }

    /// Returns the figures for a table: tokens, tests, `*` if stopped by the clock.
    pub(crate) fn figures(&self) -> String {
        let mark = if self.timed_out { "\\*" } else { "" };
        format!("{}/{}{mark}", self.tokens, thousands(self.tests))
    }

    pub(crate) fn line(&self) -> String {
        let algorithm = self.algorithm.as_deref().unwrap_or_default();
        let took = seconds(self.seconds);
        format!("{:32} {algorithm:17} {:>12} {took:>8}", self.case, self.figures())
    }

    fn name(&self) -> (&str, &str, Option<&str>) {
        (&self.case, &self.tool, self.algorithm.as_deref())
    }
}

/// Puts a record in place of an older one of the same run; sorted by name.
pub(crate) fn put(records: &mut Vec<Record>, new: Record) {
    match records.binary_search_by(|old| old.name().cmp(&new.name())) {
        Ok(at) => records[at] = new,
        Err(at) => records.insert(at, new),
    }
}

/// Returns the records of a file; none if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Vec<Record>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path)?;
    let mut records = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let record = serde_json::from_str(line)
            .with_context(|| format!("{}, line {}", path.display(), number + 1))?;
        put(&mut records, record);
    }
    Ok(records)
}

/// Returns one line for each record.
pub(crate) fn write(path: &Path, records: &[Record]) -> Result<()> {
    let lines = records.iter().map(|r| Ok(serde_json::to_string(r)? + "\n"));
    let text: String = lines.collect::<Result<_>>()?;
    std::fs::write(path, text).with_context(|| path.display().to_string())
}
