//! The one driver of all runs: what must hold before the first test, the answers that are known,
//! the time that is left, and what stays on disk.

pub mod context;
pub mod endpoints;
pub mod fallback;
pub mod investigation;
pub mod overwriting;
pub mod result_file;
pub mod store;
pub mod verification;
pub mod workers;
