//! The properties that the fuzz targets check; a broken one is a panic.
//!
//! `crates/testkit/fuzz/run SECONDS [TARGET …]` builds and runs the targets with seeds from
//! `corpus/`.

mod arguments;
mod journal;
mod language;
mod manifest;
mod signature;

pub use arguments::arguments;
pub use journal::journal;
pub use language::{parse_render_edit, parse_render_edit_in_any};
pub use manifest::manifest;
pub use signature::signature;
