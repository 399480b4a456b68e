//! Circumstances of a failure other than the edits of one tree: what differs between a candidate
//! that passes and one that fails, level by level.
//!
//! Must not know: outcomes, memory of answers, any language by name, processes, files.

pub mod archive;
mod changes;
mod choice;
mod files;
mod level;
mod mixture;
mod names;
mod pair;
mod records;
mod rest;
mod sequence;
mod text;
mod trees;

pub use changes::{Changes, Grain, LanguageOf};
pub use choice::Choice;
pub use files::Files;
pub use level::Circumstances;
pub use mixture::{Mixture, Part};
pub use pair::Pair;
pub use records::{Log, Reading, Records};
pub use rest::without;
pub use sequence::{Run, align};
pub use text::Text;
