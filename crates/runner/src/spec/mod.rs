//! The user's test: a script or a command, its conditions, how it is launched.

pub(crate) mod command;
pub(crate) mod conditions;
pub(crate) mod description;
pub(crate) mod launch;
pub(crate) mod listened;
pub(crate) mod messages;
pub(crate) mod printed;
pub(crate) mod script;
pub(crate) mod sent_test;
pub mod shell;
pub(crate) mod template;
pub(crate) mod tools;
pub(crate) mod workplace;
