//! Grammars that are not part of the program: found, compiled, loaded, and kept for later runs.
//!
//! A grammar is native code. It is loaded only if the user has named it, in this run or when it was
//! added; never because it lies beside an input.

mod compile;
mod error;
mod kept;
mod languages;
mod library;
mod loaded;
mod package;
mod places;

pub use error::{GrammarError, NoLanguage};
pub use kept::{Kept, keep, kept, remove};
pub use languages::Languages;
pub use places::Places;
