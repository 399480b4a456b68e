//! Tests: they say whether a candidate shows the failure. A closure is one, and so are a script and
//! a command that run as processes.

pub mod closure;
pub mod command;
pub mod command_line;
pub mod nothing;
pub mod script;
pub mod subject;
