//! Searches for words of a command line that a failure needs, or that keep it away.

pub mod search;
