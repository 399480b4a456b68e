//! Edits as values: each says what happens to which node.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::{Kind, NodeId, Tree};

/// One part of what stands in a node's place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// A node of the same tree with all edits that concern it. The edited node itself stands for
    /// its own children, so that text can be put around it.
    Node(NodeId),
    /// A new text. With a kind, the grammar can say whether it may stand there.
    Text(Arc<[u8]>, Option<Kind>),
    /// A part of the edited leaf's own text: its first byte and the one after its last. What is
    /// left keeps the leaf's kind, as long as there is something left. Texts between parts of a
    /// leaf are parts of it, too.
    Part(u32, u32),
}

/// What stands in a node's place after an edit; nothing at all when it is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change(pub Vec<Piece>);

impl Change {
    /// Drops the node and everything below it.
    pub fn drop() -> Self {
        Self(Vec::new())
    }

    /// Puts another node (mostly one of its descendants) in its place.
    pub fn hoist(id: NodeId) -> Self {
        Self(vec![Piece::Node(id)])
    }

    /// Puts several nodes in its place, in this order.
    pub fn splice(ids: impl IntoIterator<Item = NodeId>) -> Self {
        Self(ids.into_iter().map(Piece::Node).collect())
    }

    /// Puts a text in its place; `kind` is what the text would be in the tree, where that is known.
    pub fn replace_with(text: impl AsRef<[u8]>, kind: Option<Kind>) -> Self {
        Self(vec![Piece::Text(Arc::from(text.as_ref()), kind)])
    }

    /// Cuts a range out of a leaf with `length` bytes. Two cuts of one leaf can be merged.
    pub fn cut(length: usize, cut: Range<usize>) -> Self {
        Self::replace(length, cut, b"")
    }

    /// Replaces a part, not all, of a leaf with `length` bytes by another text. Changes of this
    /// kind can be merged as long as no text replaces what another one takes.
    pub fn replace(length: usize, range: Range<usize>, text: &[u8]) -> Self {
        let [from, to, length] = [range.start, range.end, length]
            .map(|place| u32::try_from(place).expect("texts are below 4 GiB"));
        Self::around(&[Hole { from, to, text: Arc::from(text) }], length)
    }

    /// Returns whether it only changes the inside of a leaf.
    pub fn is_inside(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Part(..)))
    }

    /// Returns the parts around holes, which stand in the order of the text, with their texts in
    /// between.
    fn around(holes: &[Hole], length: u32) -> Self {
        let mut pieces = Vec::new();
        let mut at = 0;
        for Hole { from, to, text } in holes {
            if at < *from {
                pieces.push(Piece::Part(at, *from));
            }
            if !text.is_empty() {
                pieces.push(Piece::Text(Arc::clone(text), None));
            }
            at = *to;
        }
        if at < length {
            pieces.push(Piece::Part(at, length));
        }
        Self(pieces)
    }

    /// Returns the holes in a leaf of that length; `None` for changes of another kind.
    fn holes(&self, length: u32) -> Option<Vec<Hole>> {
        let mut holes = Vec::new();
        let (mut at, mut text): (u32, Arc<[u8]>) = (0, Arc::from([]));
        for piece in self.0.iter().chain([&Piece::Part(length, length)]) {
            match piece {
                Piece::Part(from, to) => {
                    if at < *from || !text.is_empty() {
                        holes.push(Hole { from: at, to: *from, text });
                        text = Arc::from([]);
                    }
                    at = *to;
                }
                Piece::Text(put, _) => text = Arc::clone(put),
                Piece::Node(_) => return None,
            }
        }
        self.is_inside().then_some(holes)
    }

    /// Merges two changes of the inside of one leaf; `None` if they contradict each other.
    fn both_inside(&self, other: &Self) -> Option<Self> {
        // Neither of them has what comes after both last parts.
        let ends = self.0.iter().chain(&other.0).filter_map(|piece| match piece {
            Piece::Part(_, to) => Some(*to),
            _ => None,
        });
        let length = ends.max()?;
        let mut all = self.holes(length)?;
        all.extend(other.holes(length)?);
        all.sort_unstable();
        let mut both: Vec<Hole> = Vec::new();
        for hole in all {
            let Some(last) = both.last_mut().filter(|last| last.meets(&hole)) else {
                both.push(hole);
                continue;
            };
            if *last != hole && !(last.text.is_empty() && hole.text.is_empty()) {
                return None;
            }
            last.to = last.to.max(hole.to);
        }
        Some(Self::around(&both, length))
    }

    /// Adds another change of the same node, see [`Edits::add`]; `false` if they contradict.
    fn add(&mut self, other: &Self) -> bool {
        if self == other || self.is_drop() {
            return true;
        }
        let both = if other.is_drop() { Some(Self::drop()) } else { self.both_inside(other) };
        both.map(|both| *self = both).is_some()
    }

    /// Returns whether the node is dropped.
    pub fn is_drop(&self) -> bool {
        self.0.is_empty()
    }
}

/// What is missing of a leaf's text, and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hole {
    from: u32,
    to: u32,
    text: Arc<[u8]>,
}

impl Hole {
    /// Returns whether `next`, which starts at or after `self`, overlaps or touches it.
    fn meets(&self, next: &Self) -> bool {
        let is_point = self.from == self.to || next.from == next.to;
        next.from < self.to || is_point && next.from == self.to
    }
}

/// A canonical, hashable set of changes to different nodes of one tree.
///
/// A change below a node that is replaced has an effect only where that part is still used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edits(
    /// In document order.
    Vec<(NodeId, Change)>,
);

impl Edits {
    /// Creates an empty set of changes.
    pub fn none() -> Self {
        Self::default()
    }

    /// Creates a set of one change.
    pub fn one(id: NodeId, change: Change) -> Self {
        Self(vec![(id, change)])
    }

    /// Drops the node.
    pub fn drop(id: NodeId) -> Self {
        Self::one(id, Change::drop())
    }

    /// Drops all these nodes.
    pub fn drop_all(ids: impl IntoIterator<Item = NodeId>) -> Self {
        let mut drops: Vec<_> = ids.into_iter().map(|id| (id, Change::drop())).collect();
        drops.sort_unstable_by_key(|(id, _)| *id);
        drops.dedup_by_key(|(id, _)| *id);
        Self(drops)
    }

    /// Merges sets as [`merge`](Self::merge) does one after the other; `None` when two changes
    /// contradict each other. Linear in the changes of sets that come in document order, or in the
    /// opposite one.
    pub fn merged<'e>(sets: impl IntoIterator<Item = &'e Self>) -> Option<Self> {
        let sets: SmallVec<[&Self; 16]> = sets.into_iter().collect();
        let mut changes = Vec::with_capacity(sets.iter().map(|set| set.len()).sum());
        changes.extend(sets.iter().flat_map(|set| set.0.iter().cloned()));
        // Stable, so that the changes of one node meet as they would one after the other.
        changes.sort_by_key(|(id, _)| *id);
        let mut fits = true;
        changes.dedup_by(|(id, next), (at, change)| {
            let is_same = id == at;
            fits &= !is_same || change.add(next);
            is_same
        });
        fits.then_some(Self(changes))
    }

    /// Adds a change. A drop wins over any other change of the same node, and two cuts of one leaf
    /// become one; otherwise two different changes of one node contradict each other, and the
    /// answer is `false`.
    #[must_use]
    pub fn add(&mut self, id: NodeId, change: Change) -> bool {
        match self.0.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(at) => self.0[at].1.add(&change),
            Err(at) => {
                self.0.insert(at, (id, change));
                true
            }
        }
    }

    /// Adds all changes of `other`; `false` when two contradict each other.
    #[must_use]
    pub fn merge(&mut self, other: &Self) -> bool {
        match &other.0[..] {
            [(id, change)] => self.add(*id, change.clone()),
            _ => Self::merged([&*self, other]).map(|both| *self = both).is_some(),
        }
    }

    /// Returns the change of this very node.
    pub fn get(&self, id: NodeId) -> Option<&Change> {
        let at = self.0.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.0[at].1)
    }

    /// Returns all changes in document order.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Change)> {
        self.0.iter().map(|(id, change)| (*id, change))
    }

    /// Returns the changes below this node, in document order. Finding the first is logarithmic.
    pub fn within(&self, tree: &Tree, id: NodeId) -> impl Iterator<Item = (NodeId, &Change)> {
        let below = &self.0[self.0.partition_point(|(at, _)| *at <= id)..];
        let end = tree.subtree_end(id);
        below.iter().map(|(at, change)| (*at, change)).take_while(move |(at, _)| *at < end)
    }

    /// Returns how many nodes are changed.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
