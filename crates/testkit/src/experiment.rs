//! Runs an experiment against an oracle that is a function. Knows no processes and no real time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{
    Answered, Answers, Event, Experiment, Findings, JobId, Outcome, Step, Trial,
};

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
    pub answers: Vec<(&'static str, Outcome, Answered)>,
    /// Virtual time from the first poll to the end.
    pub time: Duration,
}

/// Runs a trial with as many workers as it has jobs; `duration` says how long each test takes on the
/// virtual clock.
pub fn experiment(
    trial: Trial,
    oracle: &dyn Fn(&[u8]) -> Outcome,
    duration: &dyn Fn(&[u8]) -> Duration,
) -> Experimented {
    let mut experiment = Experiment::new(trial, Answers::default());
    let mut now = Duration::ZERO;
    let mut running: BTreeMap<(Duration, JobId), Arc<[u8]>> = BTreeMap::new();
    loop {
        match experiment.poll(now) {
            Step::Start { id, candidate } => {
                running.insert((now + duration(&candidate), id), candidate);
            }
            Step::Wait => {
                let ((end, id), candidate) = running.pop_first().expect("waits for something");
                now = now.max(end);
                experiment.report(id, oracle(&candidate), now);
            }
            Step::Done => break,
        }
        let stale = experiment.take_stale();
        running.retain(|(_, id), _| !stale.contains(id));
    }
    let events = experiment.take_events().into_iter();
    let answers = events.filter_map(|event| match event {
        Event::Told { pass, outcome, how } => Some((pass, outcome, how)),
        _ => None,
    });
    let (passing, failing) = experiment.ends();
    Experimented {
        passing: passing.to_vec(),
        failing: failing.to_vec(),
        findings: experiment.findings().clone(),
        answers: answers.collect(),
        time: now,
    }
}
