//! `--minimise`: makes small what a failing and a passing file have in common, as long as their
//! difference decides (Zeller & Hildebrandt 2002, §5.1). Runs a reduction with a test of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use minirepro_circumstances::Pair;
use minirepro_engine::{Algorithm, Engine, Event, Outcome, Plan, Scope};
use minirepro_runner::{Observation, Oracle, OracleError, Recalled, Stop, drive};
use minirepro_syntax::Language;

use crate::plan::{Talk, budget};
use crate::progress::Progress;
use crate::summary;
use crate::trial::{Bench, Ran};

/// A test of pairs: the candidate must reproduce, and must not with the difference taken back.
struct Paired<'a> {
    test: &'a dyn Oracle,
    pair: Pair,
    /// Tests of candidates with the difference taken back.
    counterparts: AtomicU64,
}

impl Oracle for Paired<'_> {
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError> {
        let seen = self.test.test(candidate, stop)?;
        if seen.outcome != Outcome::Fail {
            return Ok(seen);
        }
        let unresolved = Outcome::Unresolved;
        let Some(other) = self.pair.counterpart(candidate) else {
            return Ok(Observation { outcome: unresolved, ..seen });
        };
        self.counterparts.fetch_add(1, Ordering::Relaxed);
        let other = self.test.test(&other, stop)?;
        let outcome = if other.outcome == Outcome::Pass { Outcome::Fail } else { unresolved };
        Ok(Observation { outcome, ending: other.ending, time: seen.time + other.time })
    }
}

/// Both ends and what it cost.
pub struct Minimised {
    /// The file that passes.
    pub passing: Arc<[u8]>,
    /// The file that fails.
    pub failing: Arc<[u8]>,
    /// The run.
    pub ran: Ran<Engine>,
    /// Tests of the passing side.
    pub counterparts: u64,
}

/// Minimises what `passing` and `failing` have in common.
pub fn minimise(
    bench: &Bench<'_>,
    language: &Arc<Language>,
    (passing, failing): (&Arc<[u8]>, &Arc<[u8]>),
    name: &str,
) -> Minimised {
    let common = bench.common;
    let mut engine = Engine::new(Plan {
        language: Arc::clone(language),
        input: Arc::clone(failing),
        algorithm: Algorithm::default(),
        jobs: common.jobs,
        scope: Scope::default(),
        budget: budget(common.max_tests, common.max_time, None),
    });
    let pair = Pair::new(passing, failing);
    let summary = engine.summary();
    let talk = Talk::of(common);
    let mut progress = Progress::new(talk, summary.tokens.0, summary.bytes.0);
    let start = Instant::now();
    let mut observe = |event: &Event, now| progress.event(event, now);
    let ((tally, driven), pair, counterparts) = bench.ask(|test| {
        let oracle = Paired { test, pair, counterparts: AtomicU64::new(0) };
        let ran = drive(&mut engine, &oracle, common.jobs, bench.stop(), &mut observe);
        (ran, oracle.pair, oracle.counterparts.into_inner())
    });
    progress.finish();
    let summary = engine.summary();
    bench.count(summary.tests, summary.stopped.as_deref());
    let took = start.elapsed();
    if talk > Talk::Quiet {
        eprint!("{}", summary::text(name, &engine.summary(), &tally, Recalled::default(), took));
    }
    let failing = engine.best();
    let passing = pair.counterpart(&failing).map_or_else(|| Arc::clone(passing), Into::into);
    Minimised { passing, failing, ran: Ran { session: engine, tally, took, driven }, counterparts }
}
