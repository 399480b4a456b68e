//! Finds answers for a decider: memory, jobs, look-ahead, budget, events.

pub(crate) mod answer_memory;
pub(crate) mod decider;
mod estimate;
pub(crate) mod lookahead;
pub(crate) mod odds;
pub(crate) mod scheduler;
pub(crate) mod session;
