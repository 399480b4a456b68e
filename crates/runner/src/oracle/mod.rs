//! The test of one candidate, and ways to run it: before the search, in parallel, repeatedly,
//! alone.

pub(crate) mod baseline;
pub(crate) mod controls;
pub(crate) mod oracle;
pub(crate) mod rate;
pub(crate) mod repeat;
pub(crate) mod retry_alone;
pub(crate) mod worker_pool;
