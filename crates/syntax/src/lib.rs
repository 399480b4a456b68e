//! Lossless immutable trees, edits on them, and what a grammar allows.
//!
//! Must not know: how text becomes a tree (`languages`), files, processes, threads, clocks.

mod automaton;
mod blanks;
mod edits;
mod expression;
mod facts;
mod feasible;
mod hash;
mod kinds;
mod language;
mod names;
mod render;
mod tree;

pub use automaton::{Automaton, StateSet};
pub use blanks::{with_layout, with_plain_blanks};
pub use edits::{Change, Edits, Piece};
pub use facts::{Facts, FactsError};
pub use feasible::{Feasible, close, droppable_children};
pub use hash::TokenHash;
pub use kinds::{Kind, Kinds};
pub use language::{
    Complaints, Encoded, Language, LeastText, Parse, Rewrite, RewritePart, Roles, Style,
};
pub use names::{FindNames, Mention, Space};
pub use render::{Copied, Rendered, render, rendered};
pub use tree::{Children, Flags, NodeId, Origin, Tree, TreeBuilder};
