//! Circumstances of a failure other than the edits of one tree: the differences ("deltas") between
//! a candidate that passes and one that fails, level by level.
//!
//! Must not depend on outcomes, on memory of answers, on any language by name, on processes or on
//! files.

mod align;
mod changes;
mod choice;
mod circumstances;
mod merge;
mod named_files;
mod needs;
mod text;
mod units;

pub use align::{Run, align};
pub use changes::{Changes, LanguageOf};
pub use choice::Choice;
pub use circumstances::Circumstances;
pub use named_files::named_files;
pub use text::Text;

pub use minirepro_syntax::archive;
