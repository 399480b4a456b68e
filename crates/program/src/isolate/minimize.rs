//! Makes small what a failing and a passing text have in common, as long as their difference
//! decides (Zeller & Hildebrandt 2002, §5.1): a reduction with a test of pairs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use minirepro_circumstances::Pair;
use minirepro_engine::{Algorithm, Budget, Outcome, Plan, Scope};
use minirepro_runner::{CancelToken, Observation, Oracle, OracleError};
use minirepro_syntax::Language;

use crate::outcome::MinimizedContext;
use crate::run::context::{CandidateOf, ReductionTask, RunContext, Sides};

/// A test of pairs: the candidate must fail, and must pass with the difference taken back.
struct Paired<'a> {
    test: &'a dyn Oracle,
    pair: &'a Pair,
    /// Tests of candidates with the difference taken back.
    counterparts: &'a AtomicU64,
}

impl Oracle for Paired<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let seen = self.test.test(candidate, stop)?;
        if seen.outcome != Outcome::Fail {
            return Ok(seen);
        }
        let Some(other) = self.pair.counterpart(candidate) else {
            return Ok(Observation { outcome: Outcome::Unresolved, ..seen });
        };
        self.counterparts.fetch_add(1, Ordering::Relaxed);
        let other = self.test.test(&other, stop)?;
        let outcome = match other.outcome {
            Outcome::Pass => Outcome::Fail,
            Outcome::Fail | Outcome::Unresolved => Outcome::Unresolved,
        };
        Ok(Observation { outcome, ending: other.ending, time: seen.time + other.time })
    }
}

/// Minimizes what both sides have in common; returns the new sides and the cost.
pub fn minimize(
    context: &RunContext<'_>,
    language: &Arc<Language>,
    sides: &Sides,
    name: &str,
) -> (Sides, MinimizedContext) {
    let plan = Plan {
        language: Arc::clone(language),
        input: Arc::clone(&sides.failing),
        algorithm: Algorithm::default(),
        jobs: 1,
        scope: Scope::default(),
        budget: Budget::default(),
        tests_are_cheap: false,
        proposers: 0,
        is_informed: false,
    };
    let pair = Pair::new(&sides.passing, &sides.failing);
    let counterparts = AtomicU64::new(0);
    let task = ReductionTask {
        name,
        plan,
        candidate: CandidateOf::Part,
        proposers: &mut [],
        wrap: &|test, lend| lend(&Paired { test, pair: &pair, counterparts: &counterparts }),
    };
    let ran = context.reduce(task, &mut |_| {});
    let failing = ran.session.best();
    let passing = pair.counterpart(&failing).map_or_else(|| Arc::clone(&sides.passing), Into::into);
    let minimized =
        MinimizedContext { figures: ran.figures, counterpart_tests: counterparts.into_inner() };
    (Sides { passing, failing }, minimized)
}
