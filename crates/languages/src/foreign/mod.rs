//! Grammars that are not part of the program: what a caller has loaded becomes a language like any
//! other.
//!
//! Must not know where a grammar comes from. Loading native code is the caller's, and its alone.

mod error;
mod grammar;

pub use error::ForeignError;
pub use grammar::ForeignGrammar;
