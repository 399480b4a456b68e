//! Names for failures, read from what a program wrote.

pub(crate) mod other_crashes;
pub(crate) mod patterns;
pub(crate) mod signature;
