//! Circumstances of a failure other than the edits of one tree: the differences ("deltas") between
//! a candidate that passes and one that fails, level by level.
//!
//! Must not depend on outcomes, on memory of answers, on any language by name, on processes or on
//! files.

mod choice;
mod circumstances;
mod language_of;
mod named_files;
mod patch;
mod versions;

pub use choice::Choice;
pub use circumstances::Circumstances;
pub use language_of::LanguageOf;
pub use named_files::named_files;
pub use patch::align::{Run, align};
pub use patch::counterpart::Pair;
pub use versions::changes::{Changes, Grain};
pub use versions::single_file::Text;

pub use minirepro_syntax::archive;
