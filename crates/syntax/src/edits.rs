//! Edits: values that say what becomes of which node. Knows no grammar.

use std::collections::BTreeMap;
use std::ops::Range;
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
    /// A part of the edited leaf's own text: its first byte and the one behind its last. What is
    /// left keeps the leaf's kind, as long as there is something left.
    Part(u32, u32),
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

    /// Of a leaf with `length` bytes, those in `cut` go. Two cuts of one leaf can be merged.
    pub fn cut(length: usize, cut: Range<usize>) -> Self {
        let part = |from, to| {
            #[expect(clippy::cast_possible_truncation, reason = "texts are below 4 GiB")]
            (from < to).then_some(Piece::Part(from as u32, to as u32))
        };
        Self(part(0, cut.start).into_iter().chain(part(cut.end, length)).collect())
    }

    /// What both changes leave of a leaf, if both only cut parts out of it.
    fn common_parts(&self, other: &Self) -> Option<Self> {
        let parts = |change: &Self| -> Option<Vec<(u32, u32)>> {
            let part = |piece: &Piece| match piece {
                Piece::Part(from, to) => Some((*from, *to)),
                _ => None,
            };
            change.0.iter().map(part).collect()
        };
        let (own, others) = (parts(self)?, parts(other)?);
        let mut common = Vec::new();
        let mut at = 0;
        for &(from, to) in &own {
            while others.get(at).is_some_and(|&(_, end)| end <= from) {
                at += 1;
            }
            for &(start, end) in others[at..].iter().take_while(|&&(start, _)| start < to) {
                common.push(Piece::Part(from.max(start), to.min(end)));
            }
        }
        Some(Self(common))
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

    /// Adds a change. A drop wins over any other change of the same node, and two cuts of one leaf
    /// become one; otherwise two different changes of one node contradict each other, and the
    /// answer is `false`.
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
            Some(old) => match old.common_parts(&change) {
                Some(common) => {
                    *old = common;
                    true
                }
                None => false,
            },
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
