//! A batch from its inputs to its results.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use minirepro_engine::StopReason;
use minirepro_runner::{Digest, Fingerprint, Signature};

use crate::batch::error::BatchError;
use crate::batch::family::{Failing, Family, FoundBug, bugs, families};
use crate::batch::inputs::{self, Input};
use crate::batch::request::{Batch, BatchEvent, STATE, Shared, run_limits};
use crate::batch::results::Bugs;
use crate::batch::run_log::{RunLog, Seen, hang};
use crate::batch::runs;
use crate::error::Error;
use crate::fingerprint;
use crate::request::Workers;

/// How often reductions may lead to failures that lead to reductions.
const ROUNDS: usize = 3;

/// What a batch has found.
#[derive(Clone, Debug)]
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
        let earlier = self.new_since.as_deref().map(Bugs::read).transpose();
        let earlier = earlier.map_err(BatchError::Earlier)?;
        let output = std::path::absolute(&self.output)?;
        let is_below = |path: &PathBuf| {
            std::path::absolute(path).is_ok_and(|path| path.is_dir() && output.starts_with(path))
        };
        if self.inputs.iter().any(is_below) {
            return Err(BatchError::OutputIsInput(self.output.clone()));
        }
        let found = inputs::find(&self.inputs)?;
        if found.inputs.is_empty() {
            return Err(BatchError::NoInputs);
        }
        (self.observer)(&BatchEvent::Read { inputs: found.inputs.len(), ignored: &found.ignored });
        let stop = self.stop.below()?;
        if let Some(time) = self.max_time {
            stop.set_after(time, StopReason::TimeBudget)?;
        }
        let log = Mutex::new(self.open(&output)?);
        let shared = Shared { request: self, stop, output, log };
        let bugs = Bugs::of(&[], &shared.output, None);
        let mut course = Course { inputs: found.inputs, gone: Vec::new(), bugs };
        let ended = course.go(&shared, earlier.as_ref());
        let stopped = match ended {
            Ok(()) => None,
            Err(BatchError::Stopped | BatchError::Run(Error::Interrupted { .. }))
                if shared.stop.is_set() =>
            {
                Some(shared.stop.why())
            }
            Err(error) => return Err(error),
        };
        Ok(course.outcome(&shared.log(), start.elapsed(), stopped))
    }

    /// Opens the state of the batch.
    fn open(&self, output: &Path) -> Result<RunLog, BatchError> {
        let state = output.join(STATE);
        let is_taken = match fs::read_dir(output) {
            Ok(mut entries) => entries.next().is_some() && !state.is_dir(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        if is_taken {
            return Err(BatchError::OutputTaken(self.output.clone()));
        }
        fs::create_dir_all(state.join("jobs"))?;
        RunLog::open(&state, &self.facts())
            .map_err(|error| BatchError::Log { path: self.output.clone(), error })
    }

    /// Returns what decides how inputs fail.
    fn facts(&self) -> Fingerprint {
        let limits = run_limits(self);
        let mut facts = fingerprint::of_limits(&limits.of_first_tests(), self.retry);
        let mut test = format!("{:?}", self.test);
        if let Some(path) = self.test.file() {
            test += Digest::of(&fs::read(path).unwrap_or_default()).as_str();
        } else {
            let words = self.test.words();
            let files = fingerprint::of_files(words.iter().map(|word| word.as_os_str()));
            facts.extend(fingerprint::named([("programs", files)]));
        }
        facts.extend(fingerprint::named([("test", test)]));
        facts
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
        let ended = match shared.stop.is_set() {
            true => Ok(Vec::new()),
            false => bugs(shared, family, (jobs / left.min(at_once)).max(1)),
        };
        ended.map(drop).or_else(|error| if shared.stop.is_set() { Ok(()) } else { Err(error) })
    })
}

/// How far a batch has come.
struct Course {
    inputs: Vec<Input>,
    /// Inputs that somebody has removed or changed meanwhile.
    gone: Vec<PathBuf>,
    bugs: Bugs,
}

impl Course {
    /// Goes on until no reduction comes across a failure that is not known.
    fn go(&mut self, shared: &Shared<'_>, earlier: Option<&Bugs>) -> Result<(), BatchError> {
        let request = shared.request;
        let jobs = request.jobs.max(1);
        for _ in 0..ROUNDS {
            runs::run_all(shared, &self.inputs, jobs)?;
            let paths = self.inputs.iter().map(|input| input.paths[0].clone()).collect::<Vec<_>>();
            let mut paths = paths.into_iter();
            let gone = &mut self.gone;
            self.inputs.retain_mut(|input| {
                let path = paths.next();
                let is_there = input.is_still_there();
                gone.extend(path.filter(|_| !is_there));
                is_there
            });
            let failing = {
                let log = shared.log();
                let failing = self.inputs.iter().filter_map(|input| {
                    let (signature, repeat) = failure(&log.runs(&input.digest))?;
                    Some(Failing { input, signature, repeat })
                });
                failing.collect::<Vec<_>>()
            };
            let number = failing.len();
            let families = families(failing);
            (request.observer)(&BatchEvent::Sorted {
                failing: number,
                variants: families.iter().map(Vec::len).sum(),
                families: families.len(),
            });
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
            self.bugs.write(&found, &shared.output)?;
            ended?;
            let more = found_on_the_way(&found, &self.inputs)?;
            drop(families);
            if more.is_empty() {
                return Ok(());
            }
            self.inputs.extend(more);
        }
        Ok(())
    }

    fn outcome(self, log: &RunLog, took: Duration, stopped: Option<StopReason>) -> BatchOutcome {
        let Self { inputs, gone, bugs } = self;
        let gone = gone.into_iter().map(|path| (path, "it is gone or has changed".to_owned()));
        let mut outcome = BatchOutcome {
            bugs,
            passing: Vec::new(),
            unclear: gone.collect(),
            flaky: Vec::new(),
            inputs: inputs.iter().filter(|input| !input.is_found).count(),
            runs: log.len(),
            took,
            stopped,
        };
        for input in inputs.iter().filter(|input| !input.is_found) {
            let runs = log.runs(&input.digest);
            let path = input.paths[0].clone();
            if runs::is_flaky(&runs) {
                outcome.flaky.push(path);
                continue;
            }
            match runs.first() {
                Some(Seen::Passed) => outcome.passing.push(path),
                Some(Seen::Unclear(why)) => outcome.unclear.push((path, why.clone())),
                Some(Seen::Failed(_) | Seen::Hung) | None => {}
            }
        }
        outcome
    }
}

/// Returns how an input fails most often, and how often its tests must be repeated so that a
/// failure is missed in one of a hundred candidates.
fn failure(runs: &[&Seen]) -> Option<(Signature, u32)> {
    let all = runs.iter().filter_map(|seen| match seen {
        Seen::Failed(signature) => Some(signature.clone()),
        Seen::Hung => Some(hang()),
        Seen::Passed | Seen::Unclear(_) => None,
    });
    let all: Vec<Signature> = all.collect();
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
fn found_on_the_way(found: &[FoundBug<'_>], known: &[Input]) -> io::Result<Vec<Input>> {
    let mut digests: BTreeSet<Digest> = known.iter().map(|input| input.digest.clone()).collect();
    let finds = found.iter().flat_map(|bug| &bug.jobs).flat_map(|job| &job.record.finds);
    let paths: BTreeSet<&PathBuf> = finds.collect();
    let mut more = Vec::new();
    for path in paths {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let digest = Digest::of(&bytes);
        if digests.insert(digest.clone()) {
            let (paths, bytes) = (vec![path.clone()], bytes.len());
            more.push(Input { digest, paths, bytes, is_found: true });
        }
    }
    Ok(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flaky_failure_is_repeated_as_often_as_its_rate_demands() {
        let failed = Seen::Failed(hang());
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
