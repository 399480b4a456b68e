//! Isolations: the difference between what passes and what fails, in texts or in versions of
//! several files.

pub mod isolation;
