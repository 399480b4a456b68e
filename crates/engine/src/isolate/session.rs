//! Sessions that isolate a difference.

use std::sync::Arc;

use crate::Findings;
use crate::isolate::isolator::Isolator;
use crate::isolate::plan::IsolationPlan;
use crate::schedule::answer_memory::{AnswerMemory, Answers};
use crate::schedule::scheduler::Scheduler;

/// A session that isolates a difference or minimises one end of it. [Poll](crate::Session::poll)
/// it, run the tests that it starts, report their outcomes.
pub type IsolationSession = Scheduler<Isolator>;

impl Scheduler<Isolator> {
    /// Returns a session that knows the answers of earlier ones with the same oracle.
    pub fn new(plan: IsolationPlan, answers: Answers) -> Self {
        let isolator = Isolator::new(&plan);
        Self::with(isolator, plan.jobs, plan.budget, AnswerMemory::new(answers))
    }

    /// Returns the two candidates, the passing one first: when isolating, the closest pair so far.
    pub fn ends(&self) -> (Arc<[u8]>, Arc<[u8]>) {
        self.decider().ends()
    }

    /// Returns the numbers of the single things that the failing end is made of; see
    /// [`Circumstances::members`](minirepro_circumstances::Circumstances::members).
    pub fn members(&self) -> Arc<[usize]> {
        self.decider().members()
    }

    /// Returns the figures so far.
    pub fn findings(&self) -> &Findings {
        self.figures()
    }

    /// Returns the answers, for the next session with the same oracle.
    pub fn into_answers(self) -> Answers {
        self.into_memory().into_answers()
    }
}
