//! Searches for the records of a log that a failure needs.

pub mod reduction;
