//! Candidates in a language: which edits its grammar can form.

pub(crate) mod corrected;
pub(crate) mod feasible;
