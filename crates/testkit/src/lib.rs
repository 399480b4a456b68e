//! Simulated oracles, a virtual clock, and whole reductions without processes: for tests only.

mod session;

pub use session::{Told, plan, reduce, reduce_on_virtual_clock};
