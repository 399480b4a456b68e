//! Grammars that are not part of the program: found, compiled and loaded.
//!
//! A grammar is native code. It is loaded only if the user has named it for this run, never because
//! it lies beside an input.

mod error;
mod languages;
mod loaded;
mod package;

pub use error::GrammarError;
pub use languages::Languages;
