//! Runs a session against an oracle that is a function. Knows no processes and no real time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{
    Algorithm, Answered, Budget, Engine, Event, JobId, Outcome, Plan, Step, Summary,
};
use minirepro_syntax::Language;

/// What a session told and gave.
#[derive(Clone, Debug)]
pub struct Told {
    /// The result.
    pub result: Vec<u8>,
    /// The figures.
    pub summary: Summary,
    /// Every answer in order.
    pub answers: Vec<(&'static str, Outcome, Answered)>,
    /// Virtual time from the first poll to the end.
    pub time: Duration,
}

/// A plan with one job, no budget, and the default algorithm.
pub fn plan(language: Arc<Language>, input: &[u8]) -> Plan {
    Plan {
        language,
        input: Arc::from(input),
        algorithm: Algorithm::default(),
        jobs: 1,
        allow_broken: false,
        thorough: false,
        budget: Budget::default(),
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
    let mut engine = Engine::new(plan);
    let mut now = Duration::ZERO;
    let mut running: BTreeMap<(Duration, JobId), Arc<[u8]>> = BTreeMap::new();
    loop {
        match engine.poll(now) {
            Step::Start { id, candidate } => {
                running.insert((now + duration(&candidate), id), candidate);
            }
            Step::Wait => {
                let ((end, id), candidate) = running.pop_first().expect("waits for something");
                now = now.max(end);
                engine.report(id, oracle(&candidate), now);
            }
            Step::Done => break,
        }
        let stale = engine.take_stale();
        running.retain(|(_, id), _| !stale.contains(id));
    }
    let answers = engine
        .take_events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Told { pass, outcome, how } => Some((pass, outcome, how)),
            _ => None,
        })
        .collect();
    Told { result: engine.best().to_vec(), summary: engine.summary(), answers, time: now }
}
