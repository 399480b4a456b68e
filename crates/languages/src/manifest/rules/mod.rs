//! `rules/*.toml`: passes as data, compiled for a grammar.

pub(crate) mod compile;
pub(crate) mod compiler;
pub(crate) mod file;
pub(crate) mod files;
pub(crate) mod interned;
pub(crate) mod paths;
pub(crate) mod patterns;
pub(crate) mod templates;
