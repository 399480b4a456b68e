//! The differences between a version that passes and one that fails.
//!
//! [`changes`] are those of several files, [`single_file`] those of one; both are a [`merge`] of
//! two texts, of which [`plausibility`] and [`dependencies`] rule out those that cannot work.

pub(crate) mod changes;
pub(crate) mod dependencies;
pub(crate) mod merge;
pub(crate) mod plausibility;
pub(crate) mod single_file;
pub(crate) mod trees;
mod units;
pub(crate) mod visible_names;
