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
    pub(super) index: OnceLock<Index>,
    pub(super) kinds: OnceLock<Kinds>,
    pub(super) droppable: OnceLock<Vec<bool>>,
    pub(super) references: OnceLock<Vec<Reference>>,
    pub(super) graph: OnceLock<Graph>,
}

/// The places of every name.
#[derive(Debug, Default)]
pub struct Index {
    /// Leaves that are names, by their [key](crate::PassContext::name_key), in document order.
    pub names: FxHashMap<Vec<u8>, Vec<NodeId>>,
}

impl Index {
    /// Returns the places of a name, in document order: none if nobody waits any more.
    pub fn mentions(&self, name: &[u8]) -> &[NodeId] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The nodes of each kind, in document order.
#[derive(Debug, Default)]
pub(super) struct Kinds(Vec<Vec<NodeId>>);

impl Kinds {
    pub(super) fn new(nodes: impl Iterator<Item = (Kind, NodeId)>) -> Self {
        let mut kinds: Vec<Vec<NodeId>> = Vec::new();
        for (Kind(kind), node) in nodes {
            let kind = usize::from(kind);
            if kinds.len() <= kind {
                kinds.resize_with(kind + 1, Vec::new);
            }
            kinds[kind].push(node);
        }
        Self(kinds)
    }

    /// Returns the nodes of these kinds, in document order. Linear in them times a logarithm.
    pub(super) fn of(&self, kinds: impl Iterator<Item = Kind>) -> Vec<NodeId> {
        let each = kinds.filter_map(|Kind(kind)| self.0.get(usize::from(kind)));
        let mut nodes: Vec<NodeId> = each.flatten().copied().collect();
        nodes.sort_unstable();
        nodes
    }
}
