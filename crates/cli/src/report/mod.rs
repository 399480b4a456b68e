//! Everything that a person or a script is shown: progress while a run goes on, its summary, its
//! figures as JSON, differences as a diff. All of it is a fold over the events of a run.

pub mod baseline;
pub mod batch;
pub mod certificate;
pub mod course;
pub mod diff;
pub mod document;
pub mod includes;
mod json_lines;
pub mod junit;
pub mod numbers;
pub mod patch;
pub mod progress;
pub mod reason;
pub mod reporter;
pub mod screen;
pub mod shell;
pub mod stats;
pub mod status_line;
pub mod summary;
pub mod terminal;
pub mod tree;
pub mod verbosity;
pub mod workers;
