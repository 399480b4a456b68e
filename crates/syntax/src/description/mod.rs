//! The description of a language as passes see it: roles, references, and its parser.

pub(crate) mod interruption;
pub(crate) mod language;
pub(crate) mod parse;
pub(crate) mod references;
pub(crate) mod role;
pub(crate) mod roles;
