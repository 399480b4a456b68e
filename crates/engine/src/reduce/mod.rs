//! Decides a reduction: rounds of passes, pumps, the sweep, the certificate.

pub(crate) mod config;
pub(crate) mod current;
mod demand;
pub(crate) mod estimate;
pub(crate) mod pace;
pub(crate) mod pass_run;
pub(crate) mod phase;
pub(crate) mod reducer;
pub(crate) mod session;
mod sizes;
mod stall;
pub(crate) mod trial;
