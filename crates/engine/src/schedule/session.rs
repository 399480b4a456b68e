//! The interface between a session and whatever runs its tests.

use std::sync::Arc;
use std::time::Duration;
use std::vec::Drain;

use minirepro_search::Outcome;

use crate::{Consultation, Event, Said, StopReason};

/// A test that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// A request of a session to its caller.
#[derive(Clone, Debug)]
pub enum Step {
    /// Run the oracle on this candidate, then [`report`](Session::report).
    Start {
        /// The name of the test.
        id: JobId,
        /// The bytes to test.
        candidate: Arc<[u8]>,
    },
    /// Ask a proposer what to try, then let the session [`hear`](Session::hear) it. Until then,
    /// nothing else is wanted.
    Consult(Arc<Consultation>),
    /// Nothing to start until a running test is reported.
    Wait,
    /// The session is over.
    Done,
}

/// A session under way: poll it, run the tests that it starts, report their findings.
pub trait Session {
    /// Returns what to do now, at the time `now` (since any fixed moment).
    fn poll(&mut self, now: Duration) -> Step;

    /// Takes the outcome of a test that was started.
    fn report(&mut self, id: JobId, outcome: Outcome);

    /// Takes what a proposer has said.
    fn hear(&mut self, _said: Said) {}

    /// Does a little of the work that may be needed after the answers of the running tests. Returns
    /// `false` if none is left. Changes nothing but how long the next [`poll`](Self::poll) takes.
    fn precompute(&mut self) -> bool {
        false
    }

    /// Returns tests whose answers are no longer wanted: end them and do not report them.
    fn cancelled_jobs(&mut self) -> Vec<JobId>;

    /// Ends the session for this reason, unless it is over; the best result stays.
    fn stop(&mut self, why: StopReason);

    /// Returns the events since the last call.
    fn take_events(&mut self) -> Drain<'_, Event>;
}
