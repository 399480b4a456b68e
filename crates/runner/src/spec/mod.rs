//! The user's test: its description, and how it is run.

pub(crate) mod launch;
pub(crate) mod lines;
pub(crate) mod listened;
pub(crate) mod printed;
pub(crate) mod program_test;
pub(crate) mod sent;
pub mod shell;
pub(crate) mod spec;
pub(crate) mod template;
pub(crate) mod workplace;
