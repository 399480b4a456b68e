//! A batch from its inputs to its results.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use minirepro_engine::StopReason;
use minirepro_runner::{Digest, Fingerprint, Header, Signature};

use crate::batch::error::BatchError;
use crate::batch::family::{Failing, Family, FoundBug, bugs, families};
use crate::batch::inputs::{self, Found, Input};
use crate::batch::request::{Batch, BatchEvent, STATE, Shared, run_limits};
use crate::batch::results::Bugs;
use crate::batch::run_log::{RunLog, Seen};
use crate::batch::runs;
use crate::error::{Error, Invocation};
use crate::fingerprint;
use crate::request::Workers;
use crate::tester::program;
use crate::tester::subject::Test;

/// How often reductions may lead to failures that lead to reductions.
const ROUNDS: usize = 3;

/// What a batch has found.
#[derive(Clone, Debug, Default)]
pub struct BatchOutcome {
    /// The bugs.
    pub bugs: Bugs,
    /// Inputs that do not fail.
    pub passing: Vec<PathBuf>,
    /// Inputs of which nothing can be said, with reasons.
    pub unclear: Vec<(PathBuf, String)>,
    /// Inputs that do not fail in the same way each time.
    pub flaky: Vec<PathBuf>,
    /// Different inputs.
    pub inputs: usize,
    /// Runs of single inputs, outside of reductions.
    pub runs: usize,
    /// How long this part of the batch took.
    pub took: Duration,
    /// Why it ended early, if it did; the same command goes on.
    pub stopped: Option<StopReason>,
}

impl Batch<'_> {
    /// Runs the batch, or goes on with it.
    ///
    /// # Errors
    /// If there are no results.
    pub fn run(&self) -> Result<BatchOutcome, BatchError> {
        let start = Instant::now();
        let earlier = self.new_since.as_deref().map(Bugs::read).transpose()?;
        let output = std::path::absolute(&self.output)?;
        let is_below = |path: &PathBuf| {
            std::path::absolute(path).is_ok_and(|path| path.is_dir() && output.starts_with(path))
        };
        if self.inputs.iter().any(is_below) {
            return Err(BatchError::OutputIsInput(self.output.clone()));
        }
        let Found { mut inputs, ignored } = inputs::find(&self.inputs, self.test)?;
        if inputs.is_empty() {
            return Err(BatchError::NoInputs);
        }
        (self.observer)(&BatchEvent::Read { inputs: inputs.len(), ignored: &ignored });
        let stop = self.stop.below()?;
        if let Some(time) = self.max_time {
            stop.set_after(time, StopReason::TimeBudget)?;
        }
        let log = Mutex::new(self.open(&output)?);
        let shared = Shared { request: self, stop, output, log };
        let mut outcome = BatchOutcome::default();
        match outcome.find_bugs(&shared, &mut inputs, earlier.as_ref()) {
            Ok(()) => {}
            Err(BatchError::Run(Error::Interrupted)) if shared.stop.is_set() => {
                outcome.stopped = Some(shared.stop.why());
            }
            Err(error) => return Err(error),
        }
        outcome.sort(&inputs, &shared.log());
        outcome.took = start.elapsed();
        Ok(outcome)
    }

    /// Opens the state of the batch.
    fn open(&self, output: &Path) -> Result<RunLog, BatchError> {
        let is_taken = match fs::read_dir(output) {
            Ok(mut entries) => entries.next().is_some() && !output.join(STATE).is_dir(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        if is_taken {
            return Err(BatchError::OutputTaken(self.output.clone()));
        }
        // What decides how inputs fail.
        let limits = run_limits(self).of_first_tests();
        let mut facts = fingerprint::of_limits(&limits, self.retry);
        facts.extend(match self.test.spec() {
            Some(spec) => program::facts(&program::ready(spec, "input".as_ref(), limits)?, &[]),
            None => fingerprint::named([("the test", self.test.looks_for())]),
        });
        fs::create_dir_all(output)?;
        let Invocation { directory, arguments } = &self.began_as;
        let none = Fingerprint::new();
        let header = Header::new(env!("CARGO_PKG_VERSION"), directory, arguments, b"", facts, none);
        RunLog::open(&self.output, header)
    }
}

/// Runs all reductions that do not depend on others, side by side, so that their records are there.
/// That the batch is to end is found out by whoever needs a record.
fn reduce_apart(
    shared: &Shared<'_>,
    families: &[Family<'_>],
    jobs: usize,
) -> Result<(), BatchError> {
    let apart: Vec<Family<'_>> = families.iter().flatten().map(|one| vec![one.clone()]).collect();
    // All workers serve one reduction.
    let at_once = if shared.request.workers == Workers::default() { jobs } else { 1 };
    runs::side_by_side(&apart, at_once, |family, left| {
        if shared.stop.is_set() {
            return Ok(());
        }
        let ended = bugs(shared, family, (jobs / left.min(at_once)).max(1));
        ended.map(drop).or_else(|error| if shared.stop.is_set() { Ok(()) } else { Err(error) })
    })
}

impl BatchOutcome {
    /// Goes on until no reduction comes across a failure that is not known. Inputs that somebody
    /// has removed or changed meanwhile are left out.
    fn find_bugs(
        &mut self,
        shared: &Shared<'_>,
        inputs: &mut Vec<Input>,
        earlier: Option<&Bugs>,
    ) -> Result<(), BatchError> {
        let request = shared.request;
        let jobs = request.jobs.max(1);
        for _ in 0..ROUNDS {
            runs::run_all(shared, inputs, jobs)?;
            inputs.retain_mut(|input| {
                let path = input.paths[0].clone();
                let is_there = input.is_still_there(request.test);
                if !is_there {
                    self.unclear.push((path, "it is gone or has changed".to_owned()));
                }
                is_there
            });
            let log = shared.log();
            let failing = inputs.iter().filter_map(|input| {
                let (signature, repeat) = failure(&log.runs(&input.digest))?;
                Some(Failing { input, signature, repeat })
            });
            let failing: Vec<Failing<'_>> = failing.collect();
            drop(log);
            let number = failing.len();
            let families = families(failing);
            let (variants, messages) = (families.iter().map(Vec::len).sum(), families.len());
            let event = BatchEvent::Sorted { failing: number, variants, families: messages };
            (request.observer)(&event);
            reduce_apart(shared, &families, jobs)?;
            let mut found: Vec<FoundBug<'_>> = Vec::new();
            let mut ended = Ok(());
            for family in &families {
                match bugs(shared, family, jobs) {
                    Ok(of_family) => found.extend(of_family),
                    Err(error) => ended = Err(error),
                }
            }
            // What an interrupted batch has found so far is worth to be seen.
            self.bugs = Bugs::of(&found, &shared.output, earlier);
            self.bugs.write(&shared.output)?;
            ended?;
            let more = found_on_the_way(request.test, &found, inputs)?;
            if more.is_empty() {
                break;
            }
            inputs.extend(more);
        }
        Ok(())
    }

    /// Says of the user's inputs what their runs have shown, if they show no bug.
    fn sort(&mut self, inputs: &[Input], log: &RunLog) {
        self.runs = log.len();
        for input in inputs.iter().filter(|input| !input.is_found) {
            self.inputs += 1;
            let runs = log.runs(&input.digest);
            let path = input.paths[0].clone();
            match runs.first() {
                _ if runs::is_flaky(&runs) => self.flaky.push(path),
                Some(Seen::Passed) => self.passing.push(path),
                Some(Seen::Unclear(why)) => self.unclear.push((path, why.clone())),
                Some(Seen::Failed(_) | Seen::Hung) | None => {}
            }
        }
    }
}

/// Returns how an input fails most often, and how often its tests must be repeated so that a
/// failure is missed in one of a hundred candidates.
fn failure(runs: &[&Seen]) -> Option<(Signature, u32)> {
    let all: Vec<Signature> = runs.iter().filter_map(|seen| seen.signature()).collect();
    let times = |one: &Signature| all.iter().filter(|other| *other == one).count();
    let most = all.iter().max_by_key(|one| (times(one), std::cmp::Reverse((*one).clone())))?;
    if !runs::is_flaky(runs) {
        return Some((most.clone(), 1));
    }
    let rate = times(most) as f64 / runs.len() as f64;
    let repeat = (0.01_f64.ln() / (1.0 - rate).max(1e-9).ln()).ceil();
    Some((most.clone(), repeat.clamp(2.0, 20.0) as u32))
}

/// Returns the inputs that reductions came across, and that are not known.
fn found_on_the_way(
    test: &dyn Test,
    found: &[FoundBug<'_>],
    known: &[Input],
) -> io::Result<Vec<Input>> {
    let known: BTreeSet<&Digest> = known.iter().map(|input| &input.digest).collect();
    let finds = found.iter().flat_map(|bug| &bug.jobs).flat_map(|job| &job.record.finds);
    let finds: Vec<PathBuf> = finds.filter(|path| path.exists()).cloned().collect();
    let more = inputs::find(&finds, test)?.inputs.into_iter();
    let more = more.filter(|input| !known.contains(&input.digest));
    Ok(more.map(|input| Input { is_found: true, ..input }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flaky_failure_is_repeated_as_often_as_its_rate_demands() {
        let failed = Seen::Hung;
        let check = |fails: usize, of: usize, expected: Option<u32>| {
            let runs: Vec<&Seen> =
                (0..of).map(|nth| if nth < fails { &failed } else { &Seen::Passed }).collect();
            assert_eq!(failure(&runs).map(|(_, repeat)| repeat), expected, "{fails} of {of}");
        };
        check(0, 2, None);
        check(2, 2, Some(1));
        check(5, 10, Some(7));
        check(9, 10, Some(2));
        check(1, 10, Some(20));
    }
}
