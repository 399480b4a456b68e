//! `language.toml` and what its sections say.

pub(crate) mod error;
pub(crate) mod implied;
pub(crate) mod inherit;
pub(crate) mod injections;
pub(crate) mod references;
pub(crate) mod rule_files;
pub(crate) mod schema;
