//! Decides an isolation: circumstances of any kind, level by level.

pub(crate) mod isolator;
pub(crate) mod plan;
