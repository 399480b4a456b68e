//! Everything that a person or a script is shown: progress while a run goes on, its summary, its
//! figures as JSON, differences as a diff. All of it is made of the events of a run, by sinks that
//! know nothing of each other.

pub mod baseline;
pub mod batch;
pub mod certificate;
pub mod course;
pub mod diff;
pub mod document;
pub mod files;
pub mod includes;
pub mod json_lines;
pub mod numbers;
pub mod patch;
pub mod progress;
pub mod reason;
pub mod screen;
pub mod shell;
pub mod sinks;
pub mod stats;
pub mod summary;
pub mod table;
pub mod terminal;
pub mod text;
pub mod tree;
pub mod verbosity;
