//! Sessions that reduce an input.

use std::sync::Arc;

use crate::Plan;
use crate::reduce::config::ReducerConfig;
use crate::reduce::reducer::Reducer;
use crate::schedule::answer_memory::{AnswerMemory, Answers};
use crate::schedule::scheduler::Scheduler;

/// A session that reduces an input. [Poll](crate::Session::poll) it, run the tests that it starts,
/// report their outcomes.
pub type ReductionSession = Scheduler<Reducer>;

impl Scheduler<Reducer> {
    /// Returns a session that reduces the plan's input, which is known to fail. Parses the input.
    pub fn new(plan: Plan) -> Self {
        let reducer = Reducer::new(ReducerConfig::new(&plan, false), &plan.input);
        Self::with(reducer, plan.jobs, plan.budget, AnswerMemory::default())
    }

    /// Returns a session that only tries every single edit of `result`, to which an earlier session
    /// has reduced the plan's input. It ends with a certificate, or stops at the first edit that
    /// fails.
    pub fn verify(plan: Plan, result: Arc<[u8]>) -> Self {
        Self::verify_knowing(plan, result, Answers::default())
    }

    /// Does the same as [`verify`](Self::verify) with answers that are known already.
    pub fn verify_knowing(plan: Plan, result: Arc<[u8]>, known: Answers) -> Self {
        let reducer = Reducer::verify(ReducerConfig::new(&plan, true), &plan.input, result);
        Self::with(reducer, plan.jobs, plan.budget, AnswerMemory::new(known))
    }

    /// Returns the answers that it was told, for a session with the same oracle.
    pub fn into_answers(self) -> Answers {
        self.into_memory().into_answers()
    }

    /// Returns the best result so far.
    pub fn best(&self) -> Arc<[u8]> {
        self.decider().best()
    }
}
