//! Plans of sessions, as plain data: algorithm, allowed edits, limits.

pub(crate) mod budget;
pub(crate) mod granularity;
pub(crate) mod preserved;
pub(crate) mod reduction;
pub(crate) mod scope;
