//! The commands: each turns its arguments into a request for the library, runs it, and says how to
//! exit.

pub mod agent;
pub mod batch;
pub mod completions;
pub mod directory;
pub mod guide;
pub mod isolate;
pub mod languages;
pub mod launch;
pub mod list;
pub mod man;
pub mod options;
#[cfg(feature = "browser")]
pub mod page;
pub mod past;
pub mod reduce;
pub mod rules;
pub mod search;
mod source;
pub mod test;
pub mod tree;
pub mod verify;
