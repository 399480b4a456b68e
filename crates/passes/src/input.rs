//! What a pass sees: the tree, the language, an index of names, and what was refused before.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use minirepro_syntax::{Language, NodeId, Piece, Tree, droppable_children};

use crate::{Gate, Item, Reference};

/// Everything that a proposal may depend on.
#[derive(Debug)]
pub struct Input<'a> {
    /// The current best result.
    pub tree: &'a Tree,
    /// Its language.
    pub language: &'a Language,
    gate: Gate,
    refused: &'a HashSet<u64>,
    /// Whether refused items are proposed again (final sweep).
    again: bool,
    index: OnceCell<Index>,
    droppable: OnceCell<Vec<bool>>,
    references: OnceCell<Vec<Reference>>,
}

/// Where every name stands.
#[derive(Debug, Default)]
pub struct Index {
    /// Leaves that are names, by their text, in document order.
    pub names: HashMap<Vec<u8>, Vec<NodeId>>,
}

impl<'a> Input<'a> {
    /// An input in which the items with these [keys](Input::key) count as refused.
    pub fn new(
        tree: &'a Tree,
        language: &'a Language,
        gate: Gate,
        refused: &'a HashSet<u64>,
    ) -> Self {
        Self {
            tree,
            language,
            gate,
            refused,
            again: false,
            index: OnceCell::new(),
            droppable: OnceCell::new(),
            references: OnceCell::new(),
        }
    }

    /// The same with every refused item to be proposed again.
    pub fn sweep(
        tree: &'a Tree,
        language: &'a Language,
        gate: Gate,
        refused: &'a HashSet<u64>,
    ) -> Self {
        Self { again: true, ..Self::new(tree, language, gate, refused) }
    }

    /// Whether this is the final sweep: everything is proposed.
    pub fn is_sweep(&self) -> bool {
        self.again
    }

    /// The index of names; made on first use, linear in the tree.
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut names: HashMap<Vec<u8>, Vec<NodeId>> = HashMap::new();
            for id in self.tree.ids().filter(|&id| self.is_name(id)) {
                names.entry(self.tree.text_of(id).to_vec()).or_default().push(id);
            }
            Index { names }
        })
    }

    /// The names that stand in parts of leaves, in order of appearance; made on first use, linear in
    /// the tree times a logarithm.
    pub fn references(&self) -> &[Reference] {
        self.references.get_or_init(|| Reference::all(self))
    }

    /// Whether the node can be dropped from its parent, perhaps with a separator. All answers are
    /// found on first use, linear in the tree times the states of the automata.
    pub fn is_droppable(&self, id: NodeId) -> bool {
        let droppable = self.droppable.get_or_init(|| {
            let mut all = vec![false; self.tree.len()];
            for parent in self.tree.ids().filter(|&id| !self.tree.is_leaf(id)) {
                for child in droppable_children(self.tree, self.language, parent) {
                    all[child.0 as usize] = true;
                }
            }
            all
        });
        droppable[id.0 as usize]
    }

    /// Whether the node is a leaf that is a name.
    pub fn is_name(&self, id: NodeId) -> bool {
        self.tree.is_leaf(id) && self.language.roles.identifiers.contains(&self.tree.kind(id))
    }

    /// The children that are no signs and no comments: what a list holds.
    pub fn elements(&self, list: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let tree = self.tree;
        tree.children(list).filter(|&c| tree.is_named(c) && !tree.flags(c).extra)
    }

    /// A token that the language's manifest has for this purpose.
    pub fn sign(&self, purpose: &str) -> Option<&'a [u8]> {
        self.language.roles.signs.get(purpose).map(|text| &**text)
    }

    /// Whether the node plays a role of the language's manifest.
    pub fn is(&self, role: &str, id: NodeId) -> bool {
        self.language.roles.is(role, self.tree.kind(id))
    }

    /// Whether the item was refused before and nothing that it depends on has changed since.
    pub fn is_refused(&self, item: &Item) -> bool {
        !self.again && self.refused.contains(&self.key(item))
    }

    /// Those items that are worth proposing.
    pub fn fresh(&self, items: Vec<Item>) -> Vec<Item> {
        items.into_iter().filter(|item| !self.is_refused(item)).collect()
    }

    /// What an item's refusal depends on, as far as we see: its own tokens, what replaces them,
    /// the place, and which of its names are used elsewhere. Names count by their order of
    /// appearance only, so renaming does not bring refused items back.
    pub fn key(&self, item: &Item) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.gate.hash(&mut hasher);
        let mut inside: HashMap<&[u8], (usize, usize)> = HashMap::new();
        for (id, change) in item.edits.iter() {
            if change.is_inside() {
                self.hash_cut(id, &change.0, &mut hasher);
                continue;
            }
            self.hash_shape(id, &mut inside, &mut hasher);
            self.tree.parent(id).map(|p| self.tree.kind(p)).hash(&mut hasher);
            for piece in &change.0 {
                match piece {
                    Piece::Node(n) if self.tree.contains(id, *n) => (n.0 - id.0).hash(&mut hasher),
                    Piece::Node(n) => self.tree.hash(*n).hash(&mut hasher),
                    Piece::Text(text, _) => text.hash(&mut hasher),
                    Piece::Part(from, to) => (from, to).hash(&mut hasher),
                }
            }
        }
        let mut elsewhere: Vec<(usize, bool)> = inside
            .into_iter()
            .map(|(name, (order, count))| {
                (order, self.index().names.get(name).is_some_and(|all| all.len() > count))
            })
            .collect();
        elsewhere.sort_unstable();
        elsewhere.hash(&mut hasher);
        hasher.finish()
    }

    /// Hashes what is cut out of a leaf, with the byte on each side, and what is put in: the rest of
    /// the leaf mostly does not matter.
    fn hash_cut(&self, id: NodeId, parts: &[Piece], hasher: &mut DefaultHasher) {
        let text = self.tree.text_of(id);
        self.tree.kind(id).hash(hasher);
        let is_text = |piece: &&Piece| matches!(piece, Piece::Text(..));
        parts.iter().filter(is_text).for_each(|text| text.hash(hasher));
        let kept = parts.iter().filter_map(|piece| match piece {
            Piece::Part(from, to) => Some((*from as usize, *to as usize)),
            _ => None,
        });
        let mut at = 0;
        for (from, to) in kept.chain([(text.len(), text.len())]) {
            if from > at {
                text[at.saturating_sub(1)..text.len().min(from + 1)].hash(hasher);
            }
            at = to;
        }
    }

    /// Hashes the tokens below `id`, names as numbers in order of appearance in `inside`, which
    /// counts them too.
    fn hash_shape(
        &self,
        id: NodeId,
        inside: &mut HashMap<&'a [u8], (usize, usize)>,
        hasher: &mut DefaultHasher,
    ) {
        if self.tree.subtree_end(id).0 - id.0 > LARGE {
            self.tree.hash(id).hash(hasher);
            return;
        }
        for leaf in self.tree.subtree(id).filter(|&n| self.tree.is_leaf(n)) {
            if self.is_name(leaf) {
                let new = inside.len();
                let (order, count) = inside.entry(self.tree.text_of(leaf)).or_insert((new, 0));
                *count += 1;
                order.hash(hasher);
            } else {
                self.tree.hash(leaf).hash(hasher);
            }
        }
    }
}

/// Subtrees with more nodes are known by the hash of their tokens alone: looking at each name would
/// cost the square of the depth where large nodes are nested.
const LARGE: u32 = 10_000;
