//! What an experiment gives, while it runs and afterwards: a line, a text for people, figures as JSON. A
//! fold over its events and findings.

use std::path::Path;
use std::time::Duration;

use minirepro_engine::{Answered, Event, Findings};
use minirepro_runner::{Output, Tally};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::figures::{count, counted, rate, time};
use crate::live::Live;
use crate::plan::Talk;

/// What is shown of an experiment while it runs.
pub struct Shown {
    live: Live,
    tests: u64,
    level: &'static str,
    of: usize,
    left: usize,
}

impl Shown {
    /// Takes the line away.
    pub fn finish(&self) {
        self.live.finish();
    }

    /// Before the first event.
    pub fn new(talk: Talk) -> Self {
        Self { live: Live::new(talk), tests: 0, level: "", of: 0, left: 0 }
    }

    /// Takes an event.
    pub fn event(&mut self, event: &Event, now: Duration) {
        match event {
            Event::Pass { name, edits } => {
                (self.level, self.of, self.left) = (name, *edits, *edits)
            }
            Event::Told { how: Answered::Tested, .. } => self.tests += 1,
            Event::Narrowed { left, .. } => self.left = *left,
            _ => return,
        }
        let step = matches!(event, Event::Narrowed { .. });
        let (level, left, of) = (self.level, count(self.left as u64), count(self.of as u64));
        let tests = counted(self.tests, "test");
        let line = || format!("{level}: {left} of {of} | {tests}, {}", rate(self.tests, now));
        self.live.show(line, now, step);
    }
}

/// What an experiment gave, for people: tests, then level by level.
pub fn text(findings: &Findings, tally: &Tally, took: Duration) -> String {
    let mut text = format!(
        "  {} in {} ({}){}; without a test: {} infeasible, {} remembered\n",
        counted(findings.tests, "test"),
        time(took),
        rate(tally.tests, took),
        match tally.tests.saturating_sub(findings.tests) {
            0 => String::new(),
            more => format!(", {} more run ahead in vain", count(more)),
        },
        count(findings.infeasible),
        count(findings.remembered),
    );
    for level in findings.levels.iter().filter(|level| level.tests > 0) {
        text += &format!(
            "  {}: {} → {} in {}{}\n",
            level.name,
            count(level.circumstances as u64),
            count(level.left as u64),
            counted(level.tests, "test"),
            if level.unresolved > 0 {
                format!(", {} of them unresolved", count(level.unresolved))
            } else {
                String::new()
            }
        );
    }
    if let Some(why) = &findings.stopped {
        text += &format!("  stopped early ({why}): it may not be minimal yet\n");
    }
    text
}

/// An experiment as JSON.
#[derive(Debug, Serialize)]
pub struct Figures {
    tests: u64,
    tests_run: u64,
    infeasible: u64,
    remembered: u64,
    seconds: f64,
    stopped: Option<String>,
    levels: Vec<LevelFigures>,
}

#[derive(Debug, Serialize)]
struct LevelFigures {
    name: &'static str,
    circumstances: usize,
    left: usize,
    tests: u64,
    infeasible: u64,
    unresolved: u64,
    minimal: bool,
}

impl Figures {
    /// The figures of a run.
    pub fn new(findings: &Findings, tally: &Tally, took: Duration) -> Self {
        let levels = findings.levels.iter().map(|level| LevelFigures {
            name: level.name,
            circumstances: level.circumstances,
            left: level.left,
            tests: level.tests,
            infeasible: level.infeasible,
            unresolved: level.unresolved,
            minimal: level.minimal,
        });
        Self {
            tests: findings.tests,
            tests_run: tally.tests,
            infeasible: findings.infeasible,
            remembered: findings.remembered,
            seconds: took.as_secs_f64(),
            stopped: findings.stopped.clone(),
            levels: levels.collect(),
        }
    }
}

/// Writes figures as JSON, if they are wanted.
///
/// # Errors
/// When they cannot be written.
pub fn write_stats(path: Option<&Path>, stats: &impl Serialize) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let json = serde_json::to_string_pretty(stats).expect("all keys are strings") + "\n";
    let output = Output::new(path, Path::new("/dev/null/no/permissions"));
    output.write(json.as_bytes()).map_err(|error| Failure::new(Exit::NotWritten, error))
}
