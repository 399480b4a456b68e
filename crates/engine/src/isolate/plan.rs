//! The plan of an isolation.

use std::sync::Arc;

use minirepro_circumstances::Circumstances;
use minirepro_search::Algorithm;

use crate::Budget;

/// The aim of an isolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The difference between passing and failing (dd: Zeller & Hildebrandt 2002): both ends move.
    Isolate,
    /// A minimal candidate that still fails: only the failing end moves.
    Minimize(Algorithm),
}

/// Everything that decides an isolation, apart from the oracle's answers.
#[derive(Clone)]
pub struct IsolationPlan {
    /// Coarse circumstances, which may lead to finer ones.
    pub circumstances: Arc<dyn Circumstances>,
    /// The candidate at one end; known to pass, unless it is only the smallest possible one.
    pub passing: Arc<[u8]>,
    /// The candidate at the other end; known to fail.
    pub failing: Arc<[u8]>,
    /// The aim.
    pub goal: Goal,
    /// How many tests may run at the same time. Never changes the result or the questions.
    pub jobs: usize,
    /// When to stop early.
    pub budget: Budget,
}

impl IsolationPlan {
    /// Returns a plan with one job and without a budget, between `ends`: the passing candidate and
    /// the failing one.
    pub fn new(
        circumstances: Arc<dyn Circumstances>,
        ends: (Arc<[u8]>, Arc<[u8]>),
        goal: Goal,
    ) -> Self {
        let (passing, failing) = ends;
        let budget = Budget::default();
        Self { circumstances, passing, failing, goal, jobs: 1, budget }
    }
}
