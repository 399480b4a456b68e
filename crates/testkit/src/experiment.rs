//! Runs an isolation against an oracle that is a function.

use std::time::Duration;

use minirepro_engine::{Answers, Findings, IsolationPlan, IsolationSession, Outcome};

use crate::clock::{Answer, run_on_virtual_clock};

/// What an experiment told and gave.
#[derive(Clone, Debug)]
pub struct Experimented {
    /// The end that passes.
    pub passing: Vec<u8>,
    /// The end that fails.
    pub failing: Vec<u8>,
    /// The figures.
    pub findings: Findings,
    /// Every answer in order.
    pub answers: Vec<Answer>,
}

/// Runs a trial with as many workers as it has jobs; `duration` says how long each test takes on
/// the virtual clock.
pub fn experiment(
    trial: IsolationPlan,
    oracle: &dyn Fn(&[u8]) -> Outcome,
    duration: &dyn Fn(&[u8]) -> Duration,
) -> Experimented {
    let mut experiment = IsolationSession::new(trial, Answers::default());
    let answers = run_on_virtual_clock(&mut experiment, oracle, duration);
    let (passing, failing) = experiment.ends();
    Experimented {
        passing: passing.to_vec(),
        failing: failing.to_vec(),
        findings: experiment.summary(),
        answers,
    }
}
