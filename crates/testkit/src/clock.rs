//! Runs a session of any kind against an oracle that is a function, on a virtual clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{AnswerSource, Consultation, Event, JobId, Outcome, Said, Session, Step};

/// One answer: who asked, what it was, where it came from.
pub type Answer = (&'static str, Outcome, AnswerSource);

/// Runs a session to its end; as many tests run at a time as it starts, and `duration` says how
/// long each takes. All answers in order.
///
/// # Panics
/// If the session waits although no test is running.
pub fn run_on_virtual_clock(
    session: &mut dyn Session,
    oracle: &dyn Fn(&[u8]) -> Outcome,
    duration: &dyn Fn(&[u8]) -> Duration,
) -> Vec<Answer> {
    run_with_proposer(session, oracle, duration, &mut |_| Said::Candidates(Vec::new()))
}

/// Does the same with somebody who proposes candidates.
///
/// # Panics
/// If the session waits although no test is running.
pub fn run_with_proposer(
    session: &mut dyn Session,
    oracle: &dyn Fn(&[u8]) -> Outcome,
    duration: &dyn Fn(&[u8]) -> Duration,
    propose: &mut dyn FnMut(&Consultation) -> Said,
) -> Vec<Answer> {
    let mut now = Duration::ZERO;
    let mut running: BTreeMap<(Duration, JobId), Arc<[u8]>> = BTreeMap::new();
    loop {
        match session.poll(now) {
            Step::Start { id, candidate } => {
                running.insert((now + duration(&candidate), id), candidate);
            }
            Step::Consult(consultation) => session.hear(propose(&consultation)),
            Step::Wait => {
                let ((end, id), candidate) = running.pop_first().expect("waits for something");
                // How much is prepared depends on luck where time is real, and decides nothing.
                let _ = (0..id.0 % 5).all(|_| session.precompute());
                now = now.max(end);
                session.report(id, oracle(&candidate));
            }
            Step::Done => break,
        }
        let stale = session.cancelled_jobs();
        running.retain(|(_, id), _| !stale.contains(id));
    }
    let told = session.take_events().filter_map(|event| match event {
        Event::Answered { pass, outcome, how, .. } => Some((pass, outcome, how)),
        _ => None,
    });
    told.collect()
}
