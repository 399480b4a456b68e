//! Runs a reduction against an oracle that is a function.

use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Algorithm, Budget, Outcome, Plan, ReductionSession, Scope, Summary};
use minirepro_syntax::Language;

use crate::clock::{Answer, run_on_virtual_clock};

/// What a session told and gave.
#[derive(Clone, Debug)]
pub struct Told {
    /// The result.
    pub result: Vec<u8>,
    /// The figures.
    pub summary: Summary,
    /// Every answer in order.
    pub answers: Vec<Answer>,
}

/// Returns a plan with one job, no budget, and the default algorithm.
pub fn plan(language: Arc<Language>, input: &[u8]) -> Plan {
    Plan {
        language,
        input: Arc::from(input),
        algorithm: Algorithm::default(),
        jobs: 1,
        scope: Scope::default(),
        budget: Budget::default(),
        tests_are_cheap: false,
        proposers: 0,
        is_informed: false,
    }
}

/// Reduces with one worker.
pub fn reduce(plan: Plan, oracle: &dyn Fn(&[u8]) -> Outcome) -> Told {
    reduce_on_virtual_clock(Plan { jobs: 1, ..plan }, oracle, &|_| Duration::from_millis(100))
}

/// Reduces with as many workers as the plan has jobs; `duration` says how long each test takes on
/// the virtual clock.
pub fn reduce_on_virtual_clock(
    plan: Plan,
    oracle: &dyn Fn(&[u8]) -> Outcome,
    duration: &dyn Fn(&[u8]) -> Duration,
) -> Told {
    let mut engine = ReductionSession::new(plan);
    let answers = run_on_virtual_clock(&mut engine, oracle, duration);
    Told { result: engine.best().to_vec(), summary: engine.summary(), answers }
}
