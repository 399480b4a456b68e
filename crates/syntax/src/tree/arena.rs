//! The lossless immutable syntax tree.

use std::any::Any;
use std::num::NonZeroU16;
use std::ops::Range;
use std::sync::Arc;

use crate::{Field, Kind, Kinds, Spacing, TokenHash};

/// A node of one [`Tree`]: its number in document order (a parent stands before its children).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root of every tree.
    pub const ROOT: Self = Self(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is special about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags {
    /// May stand anywhere between other nodes (comments).
    pub extra: bool,
    /// The text here does not fit the grammar.
    pub error: bool,
    /// The parser added it; it has no text.
    pub missing: bool,
}

/// There is one for every two or three bytes of a program.
#[derive(Clone, Debug)]
struct Node {
    start: u32,
    end: u32,
    parent: u32,
    /// Nodes in this subtree, itself included.
    size: u32,
    tokens: u32,
    kind: Kind,
    /// The lowest bits are flags, the others the number of the field.
    bits: u16,
}

const _: () = assert!(size_of::<Node>() == 24, "large trees must fit in memory");

const EXTRA: u16 = 1;
const ERROR: u16 = 2;
const MISSING: u16 = 4;
/// It was not added as a leaf, even if nothing is in it.
const INNER: u16 = 8;

/// How many bits are flags.
const FLAGS: u32 = 4;

/// The hash of all tokens before a node is kept for every 32nd node; those between are found from
/// the text.
const STRIDE: usize = 32;

/// A text and its syntax tree: every byte is in a leaf or is blank space between leaves.
///
/// Nodes stand in one array in document order, so a subtree is a range of it and nothing here
/// recurses on depth. Texts are limited to 4 GiB.
#[derive(Clone, Debug)]
pub struct Tree {
    text: Arc<[u8]>,
    kinds: Arc<Kinds>,
    nodes: Vec<Node>,
    /// The hashes of all tokens before every [`STRIDE`]th node.
    hashes: Vec<TokenHash>,
    errors: u32,
    origin: Origin,
    /// Where the parts of the text begin that are texts of their own.
    regions: Vec<(usize, Spacing)>,
}

/// What a parser keeps of a text to read similar ones faster. Only that parser knows what it is.
pub type Origin = Option<Arc<dyn Any + Send + Sync>>;

impl Tree {
    /// Returns the whole text.
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text
    }

    /// Returns the table of kinds.
    pub fn kinds(&self) -> &Arc<Kinds> {
        &self.kinds
    }

    /// Returns how many nodes there are; at least one.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there is nothing but an empty root.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.nodes.len() == 1
    }

    /// Adds errors that are in no node of their own.
    #[must_use]
    pub fn with_faults(mut self, faults: u32) -> Self {
        self.errors += faults;
        self
    }

    /// Returns how many nodes are errors or missing, and how many errors the text has besides.
    pub fn errors(&self) -> u32 {
        self.errors
    }

    /// Returns what the parser keeps of the text.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the part of the text that a byte is in, of those that are texts of their own, by its
    /// number. Logarithmic.
    pub(crate) fn region_at(&self, at: usize) -> usize {
        self.regions.partition_point(|(start, _)| *start <= at).saturating_sub(1)
    }

    /// Returns where a part of the text stands that is a text of its own, and its blank space;
    /// `None` where all is one text.
    pub(crate) fn region(&self, number: usize) -> Option<(Range<usize>, Spacing)> {
        let &(start, spacing) = self.regions.get(number)?;
        let end = self.regions.get(number + 1).map_or(self.text.len(), |(start, _)| *start);
        Some((start..end, spacing))
    }

    /// Returns all nodes in document order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.subtree_end(NodeId::ROOT).0).map(NodeId)
    }

    /// Returns the range of all nodes.
    pub fn all(&self) -> Range<NodeId> {
        NodeId::ROOT..self.subtree_end(NodeId::ROOT)
    }

    /// Returns the kind of a node.
    pub fn kind(&self, id: NodeId) -> Kind {
        self.nodes[id.index()].kind
    }

    /// Returns the name of the kind of a node.
    pub fn kind_name(&self, id: NodeId) -> &str {
        self.kinds.name(self.kind(id))
    }

    /// Returns whether the node's kind is a named one.
    pub fn is_named(&self, id: NodeId) -> bool {
        self.kinds.is_named(self.kind(id))
    }

    /// Returns the part that the node plays in its parent, if the grammar names it.
    pub fn field(&self, id: NodeId) -> Option<Field> {
        NonZeroU16::new(self.nodes[id.index()].bits >> FLAGS).map(Field)
    }

    /// Returns the flags of a node.
    pub fn flags(&self, id: NodeId) -> Flags {
        let bits = self.nodes[id.index()].bits;
        Flags { extra: bits & EXTRA > 0, error: bits & ERROR > 0, missing: bits & MISSING > 0 }
    }

    /// Returns the range of the node's text, in bytes.
    pub fn span(&self, id: NodeId) -> Range<usize> {
        self.nodes[id.index()].span()
    }

    /// Returns the node's text.
    pub fn text_of(&self, id: NodeId) -> &[u8] {
        &self.text[self.span(id)]
    }

    /// Returns the parent; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != NodeId::ROOT).then(|| NodeId(self.nodes[id.index()].parent))
    }

    /// Returns the parent, its parent, and so on up to the root.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&p| self.parent(p))
    }

    /// Returns the nodes of the subtree, itself first, in document order.
    pub fn subtree(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0..self.subtree_end(id).0).map(NodeId)
    }

    /// Returns the first node in document order that is after the subtree.
    pub fn subtree_end(&self, id: NodeId) -> NodeId {
        NodeId(id.0 + self.nodes[id.index()].size)
    }

    /// Returns whether `inner` is `outer` or below it.
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner < self.subtree_end(outer)
    }

    /// Returns the leaf whose text begins at this place. Logarithmic.
    pub(crate) fn leaf_at(&self, start: usize) -> Option<NodeId> {
        let mut begun = self.ids().skip(self.begun_before(start));
        let leaf = begun.find(|&id| self.is_leaf(id) && !self.span(id).is_empty())?;
        (self.span(leaf).start == start).then_some(leaf)
    }

    /// Returns whether this byte is in a leaf. Logarithmic in the size of the tree.
    pub(crate) fn is_in_leaf(&self, at: usize) -> bool {
        let mut begun = self.ids().take(self.begun_before(at + 1)).rev();
        let last = begun.find(|&id| !self.span(id).is_empty());
        last.is_some_and(|id| self.is_leaf(id) && self.span(id).contains(&at))
    }

    /// Returns how many nodes begin before a place. Logarithmic.
    fn begun_before(&self, place: usize) -> usize {
        self.nodes.partition_point(|node| (node.start as usize) < place)
    }

    /// Returns the children from first to last.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + Clone + '_ {
        let (mut next, end) = (NodeId(id.0 + 1), self.subtree_end(id));
        std::iter::from_fn(move || {
            let id = (next < end).then_some(next)?;
            next = self.subtree_end(id);
            Some(id)
        })
    }

    /// Returns whether the node has no children.
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.nodes[id.index()].size == 1
    }

    /// Tokens in the subtree, as the language counts them.
    pub fn tokens(&self, id: NodeId) -> u32 {
        self.nodes[id.index()].tokens
    }

    /// Returns the hash of the subtree's token sequence.
    pub fn hash(&self, id: NodeId) -> TokenHash {
        self.hash_between(id, self.subtree_end(id))
    }

    /// Returns the hash of the tokens of all leaves from one node on and before another. Looks at
    /// no more than some dozens of leaves.
    pub fn hash_between(&self, from: NodeId, to: NodeId) -> TokenHash {
        if to.index() - from.index() <= 2 * STRIDE {
            return self.hash_of_leaves(TokenHash::EMPTY, from.index()..to.index());
        }
        self.hash_before(to).without_prefix(self.hash_before(from))
    }

    fn hash_before(&self, id: NodeId) -> TokenHash {
        let at = (id.index() / STRIDE).min(self.hashes.len() - 1);
        self.hash_of_leaves(self.hashes[at], at * STRIDE..id.index())
    }

    fn hash_of_leaves(&self, before: TokenHash, nodes: Range<usize>) -> TokenHash {
        self.nodes[nodes].iter().fold(before, |hash, node| hash.then(node.hash(&self.text)))
    }
}

impl Node {
    fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the hash of the token that a leaf is, if it has a text.
    fn hash(&self, text: &[u8]) -> TokenHash {
        match self.bits & INNER > 0 || self.start == self.end {
            true => TokenHash::EMPTY,
            false => TokenHash::token(&text[self.span()]),
        }
    }
}

/// Builds a [`Tree`] in document order.
///
/// Every byte that is not blank must be inside of a leaf; whoever builds sees to that.
#[derive(Debug)]
pub struct TreeBuilder {
    tree: Tree,
    /// Of all leaves so far.
    hash: TokenHash,
    open: Vec<u32>,
}

impl TreeBuilder {
    /// Starts a tree over `text`.
    pub fn new(text: Arc<[u8]>, kinds: Arc<Kinds>) -> Self {
        let (nodes, hashes, regions) = Default::default();
        let tree = Tree { text, kinds, nodes, hashes, errors: 0, origin: None, regions };
        Self { tree, hash: TokenHash::EMPTY, open: Vec::new() }
    }

    /// Keeps this with the tree: see [`Tree::origin`].
    pub fn keep(&mut self, origin: Origin) {
        self.tree.origin = origin;
    }

    /// Begins a part of the text that is a text of its own, with its own blank space: a file of
    /// several. The first part begins with the text, each other one after the last.
    pub fn begin_region(&mut self, start: usize, spacing: Spacing) {
        self.tree.regions.push((start, spacing));
    }

    /// Opens an inner node; its children follow, then [`close`](Self::close).
    pub fn open(&mut self, kind: Kind, span: Range<usize>, flags: Flags) {
        let node = self.node(kind, span, flags, 0);
        let id = self.push(Node { bits: node.bits | INNER, ..node });
        self.open.push(id);
    }

    /// Adds a leaf that counts as `tokens` tokens.
    pub fn leaf(&mut self, kind: Kind, span: Range<usize>, flags: Flags, tokens: u32) {
        let id = self.push(self.node(kind, span, flags, tokens));
        self.add_to_parent(id);
    }

    /// Makes room for as many nodes as a text like this one has.
    pub fn expect_as_many_as(&mut self, other: &Tree) {
        self.tree.nodes.reserve_exact(other.len());
        self.tree.hashes.reserve_exact(other.hashes.len());
    }

    /// Returns the node that will be added next.
    ///
    /// # Panics
    /// If there are more nodes than a tree can have.
    pub fn next(&self) -> NodeId {
        NodeId(u32::try_from(self.tree.nodes.len()).expect("texts are below 4 GiB"))
    }

    /// Adds whole subtrees of another tree, one after the other: those between two nodes, of which
    /// the text from `from` on stands in this tree's text from `to` on. Linear in the nodes.
    pub fn copy(&mut self, other: &Tree, nodes: Range<NodeId>, from: usize, to: usize) {
        #[expect(clippy::cast_possible_truncation, reason = "texts are below 4 GiB")]
        let shifted = |at: u32| (at as usize - from + to) as u32;
        let first = self.next().0;
        let around = self.open.last().copied().unwrap_or(0);
        for id in nodes.start.0..nodes.end.0 {
            let node = &other.nodes[id as usize];
            let is_outermost = id == 0 || node.parent < nodes.start.0;
            let parent = if is_outermost { around } else { node.parent - nodes.start.0 + first };
            let (start, end) = (shifted(node.start), shifted(node.end));
            let id = self.push(Node { start, end, parent, ..node.clone() });
            if is_outermost {
                self.add_to_parent(id);
            }
        }
    }

    /// Says which part the node that was added last plays in its parent.
    ///
    /// # Panics
    /// If no node was added yet.
    pub fn set_field(&mut self, field: Option<Field>) {
        let node = self.tree.nodes.last_mut().expect("a field belongs to a node");
        let number = field.map_or(0, |field| field.0.get());
        node.bits = number << FLAGS | node.bits & ((1 << FLAGS) - 1);
    }

    /// Closes the node that was opened last.
    ///
    /// # Panics
    /// If none is open.
    pub fn close(&mut self) {
        let id = self.open.pop().expect("every close has its open");
        self.add_to_parent(id);
    }

    /// Returns the finished tree.
    ///
    /// # Panics
    /// If a node is still open or there is not exactly one root.
    pub fn finish(self) -> Tree {
        assert!(self.open.is_empty(), "every open has its close");
        let mut tree = self.tree;
        tree.nodes.shrink_to_fit();
        assert_eq!(tree.nodes.first().map(|n| n.size as usize), Some(tree.len()), "one root");
        tree
    }

    #[expect(clippy::cast_possible_truncation, reason = "texts are below 4 GiB")]
    fn node(&self, kind: Kind, span: Range<usize>, flags: Flags, tokens: u32) -> Node {
        let bit = |set, bit| if set { bit } else { 0 };
        let bits = bit(flags.extra, EXTRA) | bit(flags.error, ERROR) | bit(flags.missing, MISSING);
        let parent = self.open.last().copied().unwrap_or(0);
        Node { start: span.start as u32, end: span.end as u32, parent, size: 1, tokens, kind, bits }
    }

    fn push(&mut self, node: Node) -> u32 {
        let id = self.next().0;
        self.tree.errors += u32::from(node.bits & (ERROR | MISSING) > 0);
        if self.tree.nodes.len().is_multiple_of(STRIDE) {
            self.tree.hashes.push(self.hash);
        }
        self.hash = self.hash.then(node.hash(&self.tree.text));
        self.tree.nodes.push(node);
        id
    }

    fn add_to_parent(&mut self, id: u32) {
        if let Some(&parent) = self.open.last() {
            let Node { size, tokens, .. } = self.tree.nodes[id as usize];
            let parent = &mut self.tree.nodes[parent as usize];
            parent.size += size;
            parent.tokens += tokens;
        }
    }
}
