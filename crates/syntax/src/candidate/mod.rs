//! Candidates in a language: which edits its grammar can form, and how the text is written out.

pub(crate) mod corrected;
pub(crate) mod feasible;
pub(crate) mod layout;
