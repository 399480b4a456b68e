//! Facts about one text that all passes share. Each is found when the first pass asks for it, by
//! one walk of the tree, and is kept as long as the text is the current one.

use std::sync::OnceLock;

use minirepro_syntax::{Kind, NodeId};
use rustc_hash::FxHashMap;

use crate::Reference;
use crate::graph::elements::Graph;

/// The facts that were asked for so far.
#[derive(Debug, Default)]
pub struct TextFacts {
    pub(super) index: OnceLock<Names>,
    /// The nodes of each kind, in document order.
    pub(super) kinds: OnceLock<FxHashMap<Kind, Vec<NodeId>>>,
    pub(super) droppable: OnceLock<Vec<bool>>,
    pub(super) references: OnceLock<Vec<Reference>>,
    pub(super) graph: OnceLock<Graph>,
}

/// Leaves that are names, by their [key](crate::PassContext::name_key), in document order.
pub(crate) type Names = FxHashMap<Vec<u8>, Vec<NodeId>>;
