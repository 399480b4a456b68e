//! Grammars of tree-sitter as text: read, written, extended, and made into parsers while a crate
//! is built.
//!
//! A grammar of somebody else seldom knows all that compilers accept. Here it is kept as a text in
//! a notation that a person can read ([`Grammar::read`]), a second text in the same notation says
//! what is added or changed ([`Grammar::extend`]), and a build script makes the parser
//! (`generate::parser`, with the feature `generate`).
//!
//! The foreign grammar stands in the repository of the crate that extends it, as text, and a test
//! compares it with the published one. A build script could also look for the published crate, but
//! it does not know where that lies: `cargo metadata` needs a manifest that can be resolved, which
//! a crate from a registry, a vendored or an offline one need not have, and the directory beside
//! its own is only by chance the right one. And its parser would be compiled in vain.
//!
//! Must not know: any language.

mod extension;
#[cfg(feature = "generate")]
pub mod generate;
mod grammar;
mod notation;
mod rule;

pub use grammar::{Grammar, JsonError};
pub use notation::NotationError;
pub use rule::{Precedence, Rule};
