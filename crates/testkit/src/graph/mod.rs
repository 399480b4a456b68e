//! The graph of a crate's source files: which file uses names that another one defines.
//!
//! [`modules`] reads the modules of a crate and the paths that their code mentions, [`resolve`]
//! finds the file that defines a mentioned name, [`file_graph`] draws the arrows and measures them,
//! [`order`] looks for circles in any graph.

mod file_graph;
mod modules;
mod order;
mod resolve;

pub use file_graph::{Circle, FileGraph};
pub use modules::SourceError;
