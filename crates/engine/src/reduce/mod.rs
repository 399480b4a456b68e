//! Decides a reduction: passes to a fixpoint, pumps, the sweep, the certificate.

pub(crate) mod config;
pub(crate) mod current;
pub(crate) mod estimate;
pub(crate) mod harvest;
pub(crate) mod pass_run;
pub(crate) mod phase;
pub(crate) mod pump;
pub(crate) mod reducer;
pub(crate) mod session;
