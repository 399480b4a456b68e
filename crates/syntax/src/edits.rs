//! Edits: values that say what becomes of which node. Knows no grammar.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Kind, NodeId, Tree};

/// One part of what stands in a node's place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// A node of the same tree with all edits that concern it. The edited node itself stands for
    /// its own children, so that text can be put around it.
    Node(NodeId),
    /// A new text. With a kind, the grammar can say whether it may stand there.
    Text(Arc<[u8]>, Option<Kind>),
}

/// What stands in a node's place after an edit; nothing at all when it is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change(pub Vec<Piece>);

impl Change {
    /// The node and all below it goes.
    pub fn drop() -> Self {
        Self(Vec::new())
    }

    /// Another node (mostly one of its descendants) takes its place.
    pub fn hoist(id: NodeId) -> Self {
        Self(vec![Piece::Node(id)])
    }

    /// Several nodes take its place, in this order.
    pub fn splice(ids: impl IntoIterator<Item = NodeId>) -> Self {
        Self(ids.into_iter().map(Piece::Node).collect())
    }

    /// A text takes its place; `kind` is what the text would be in the tree, where that is known.
    pub fn put(text: impl AsRef<[u8]>, kind: Option<Kind>) -> Self {
        Self(vec![Piece::Text(Arc::from(text.as_ref()), kind)])
    }

    /// Whether the node just goes.
    pub fn is_drop(&self) -> bool {
        self.0.is_empty()
    }
}

/// A canonical, hashable set of changes to different nodes of one tree.
///
/// A change below a node that is replaced has an effect only where that part is still used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edits(BTreeMap<NodeId, Change>);

impl Edits {
    /// No change.
    pub fn none() -> Self {
        Self::default()
    }

    /// One change.
    pub fn one(id: NodeId, change: Change) -> Self {
        Self(BTreeMap::from([(id, change)]))
    }

    /// The node goes.
    pub fn drop(id: NodeId) -> Self {
        Self::one(id, Change::drop())
    }

    /// All these nodes go.
    pub fn drop_all(ids: impl IntoIterator<Item = NodeId>) -> Self {
        Self(ids.into_iter().map(|id| (id, Change::drop())).collect())
    }

    /// Adds a change. A drop wins over any other change of the same node; otherwise two different
    /// changes of one node contradict each other, and the answer is `false`.
    #[must_use]
    pub fn add(&mut self, id: NodeId, change: Change) -> bool {
        match self.0.get_mut(&id) {
            None => {
                self.0.insert(id, change);
                true
            }
            Some(old) if *old == change || old.is_drop() => true,
            Some(old) if change.is_drop() => {
                *old = change;
                true
            }
            Some(_) => false,
        }
    }

    /// Adds all changes of `other`; `false` when two contradict each other.
    #[must_use]
    pub fn merge(&mut self, other: &Self) -> bool {
        other.iter().all(|(id, change)| self.add(id, change.clone()))
    }

    /// The change of this very node.
    pub fn get(&self, id: NodeId) -> Option<&Change> {
        self.0.get(&id)
    }

    /// All changes in document order.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Change)> {
        self.0.iter().map(|(&id, change)| (id, change))
    }

    /// Whether a node of the subtree is changed. Logarithmic in the number of changes.
    pub fn touch(&self, tree: &Tree, id: NodeId) -> bool {
        self.0.range(id..tree.subtree_end(id)).next().is_some()
    }

    /// Whether a node below this one is changed. Logarithmic in the number of changes.
    pub fn touch_below(&self, tree: &Tree, id: NodeId) -> bool {
        self.0.range(NodeId(id.0 + 1)..tree.subtree_end(id)).next().is_some()
    }

    /// How many nodes are changed.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
