//! What whoever runs tests sees of a session, of whatever kind. Knows no session.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use minirepro_search::Outcome;

use crate::Event;

/// A test that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// What the caller should do now.
#[derive(Clone, Debug)]
pub enum Step {
    /// Run the oracle on this candidate and [`report`](Session::report).
    Start {
        /// The name of the test.
        id: JobId,
        /// The bytes to test.
        candidate: Arc<[u8]>,
    },
    /// Nothing to start until a running test is reported.
    Wait,
    /// The session is over.
    Done,
}

/// What a test has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it says about the candidate.
    pub outcome: Outcome,
    /// How long it took.
    pub time: Duration,
    /// Whether it was ended because its time was up.
    pub timed_out: bool,
}

impl From<Outcome> for Report {
    /// Of a test that took no time.
    fn from(outcome: Outcome) -> Self {
        Self { outcome, time: Duration::ZERO, timed_out: false }
    }
}

/// A session under way. Poll it, run what it starts, report what that has shown.
pub trait Session {
    /// What to do now, at the time `now` (since any fixed moment).
    fn poll(&mut self, now: Duration) -> Step;

    /// What a test that was started has shown.
    fn report(&mut self, id: JobId, report: Report);

    /// Does a little of the work that may come after the answers of the running tests; `false` when
    /// there is none left. Changes nothing but how long the next [`poll`](Self::poll) takes.
    fn prepare(&mut self) -> bool {
        false
    }

    /// What may be started after the answers of the running tests, as far as it is known by now, the more
    /// probable first.
    fn expected(&mut self) -> Vec<Arc<[u8]>> {
        Vec::new()
    }

    /// Tests whose answers are no longer wanted: end them and do not report them.
    fn take_stale(&mut self) -> Vec<JobId>;

    /// Ends the session; the best result stays.
    fn stop(&mut self, why: &str);

    /// What happened since the last call.
    fn take_events(&mut self) -> Vec<Event>;
}

/// Takes the jobs out of those that run, in the order of their start.
pub(crate) fn take_jobs<T>(
    running: &mut HashMap<JobId, T>,
    wanted: impl Fn(&T) -> bool,
) -> Vec<JobId> {
    let mut taken: Vec<JobId> =
        running.extract_if(|_, job| wanted(job)).map(|(id, _)| id).collect();
    taken.sort_unstable();
    taken
}
