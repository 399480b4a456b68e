//! The test of one candidate, and ways to run it: before the search, in parallel, repeatedly,
//! alone.

pub(crate) mod baseline;
pub(crate) mod oracle;
pub(crate) mod retry;
pub(crate) mod worker_pool;
