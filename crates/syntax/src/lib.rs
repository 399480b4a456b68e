//! Lossless immutable trees, edits on them, and what a grammar allows.
//!
//! Must not know: how text becomes a tree (`languages`), files, processes, threads, clocks.

pub mod archive;
mod description;
mod edit;
mod grammar;
mod tree;

pub use description::interruption::{Interruption, InterruptionGuard};
pub use description::language::{Language, TextWithSize};
pub use description::parse::{Parse, ParseErrors, Reader};
pub use description::references::{Mention, Namespace};
pub use description::role::{FieldRole, Role};
pub use description::roles::{FileKinds, Placeholder, Roles, SpecialPlaceholders, Styles, Tokens};
pub use edit::edits::{Change, Edits, Piece};
pub use edit::feasible::{Feasible, close, droppable_children, won};
pub use edit::render::{Copied, Rendered, reads_as_one, render, rendered};
pub use grammar::automaton::{Automaton, StateSet};
pub use grammar::facts::{Facts, FactsError};
pub use tree::arena::{Flags, NodeId, Origin, Tree, TreeBuilder};
pub use tree::hash::TokenHash;
pub use tree::kinds::{Field, Kind, Kinds};
pub use tree::spacing::Spacing;
