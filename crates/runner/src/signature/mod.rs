//! Names for failures, read from what a program wrote.

mod message;
pub(crate) mod other_crashes;
mod patterns;
pub(crate) mod signature;
pub(crate) mod stack;
