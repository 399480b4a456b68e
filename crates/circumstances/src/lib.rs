//! Circumstances of a failure other than the edits of one tree: what differs between a candidate
//! that passes and one that fails, level by level.
//!
//! Must not know: outcomes, memory of answers, any language by name, processes, files.

pub mod archive;
mod carry;
mod changes;
mod choice;
mod couplings;
mod gate;
mod level;
mod links;
mod mixture;
mod names;
mod needs;
mod pair;
mod records;
mod rest;
mod restricted;
mod sequence;
mod shared;
mod text;
mod trees;

pub use carry::{Pieces, carried};
pub use changes::{Changes, Grain, LanguageOf};
pub use choice::Choice;
pub use couplings::Couplings;
pub use level::Circumstances;
pub use links::files;
pub use mixture::{Mixture, Part};
pub use pair::Pair;
pub use records::{Log, Reading, Records};
pub use rest::without;
pub use restricted::Restricted;
pub use sequence::{Run, align};
pub use shared::shared_names;
pub use text::Text;
