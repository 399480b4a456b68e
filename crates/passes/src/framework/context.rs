//! The context of a pass: the tree, the language, what all passes know of the text, and the items
//! that were refused before.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::iter::once;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use minirepro_syntax::{
    Change, Edits, FieldRole, Kind, Language, NodeId, Piece, Placeholder, Role, Tokens, Tree,
    droppable_children,
};
use rustc_hash::{FxHashMap, FxHasher};

use crate::framework::limits::{FIRST_LEAVES, HASHED_NODES, MANY_SIBLINGS, OUTLINED_PART};
use crate::framework::slots::Siblings;
use crate::graph::needs::Graph;
use crate::{Gate, Item, Plan, Proposal, Reference};

/// Facts about one text that all passes share. Each is found when the first pass asks for it, by
/// one walk of the tree, and is kept as long as the text is the current one.
#[derive(Debug, Default)]
pub struct TextFacts {
    index: OnceLock<Names>,
    /// The nodes of each kind, in document order.
    kinds: OnceLock<FxHashMap<Kind, Vec<NodeId>>>,
    droppable: OnceLock<Vec<bool>>,
    references: OnceLock<Vec<Reference>>,
    graph: OnceLock<Graph>,
}

/// Leaves that are names, by their [key](PassContext::name_key), in document order.
pub(crate) type Names = FxHashMap<Vec<u8>, Vec<NodeId>>;

/// Everything that a proposal may depend on.
#[derive(Debug)]
pub struct PassContext<'a> {
    /// The current best result.
    pub tree: &'a Tree,
    /// Its language.
    pub language: &'a Language,
    gate: Gate,
    refused: &'a HashSet<u64>,
    /// Whether refused items are proposed again (final sweep).
    again: bool,
    facts: Arc<TextFacts>,
    /// Of nodes with many children.
    siblings: RefCell<HashMap<NodeId, Rc<Siblings>>>,
}

/// A pass asks its context what it asks a tree.
impl Deref for PassContext<'_> {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        self.tree
    }
}

/// The names in some edits, with the order in which they come and how often.
type Inside<'a> = FxHashMap<Cow<'a, [u8]>, (usize, usize)>;

impl<'a> PassContext<'a> {
    /// Creates a context in which the items with these [fingerprints](Self::fingerprint) count as
    /// refused.
    pub fn new(
        tree: &'a Tree,
        language: &'a Language,
        gate: Gate,
        refused: &'a HashSet<u64>,
    ) -> Self {
        let (facts, siblings) = Default::default();
        Self { tree, language, gate, refused, again: false, facts, siblings }
    }

    /// Proposes every refused item again, or not.
    #[must_use]
    pub fn proposing_again(self, again: bool) -> Self {
        Self { again, ..self }
    }

    /// Takes over what other contexts of the same tree have found out about it.
    #[must_use]
    pub fn sharing(self, facts: &Arc<TextFacts>) -> Self {
        Self { facts: Arc::clone(facts), ..self }
    }

    /// Returns whether this is the final sweep: everything is proposed.
    pub fn is_sweep(&self) -> bool {
        self.again
    }

    /// Returns all nodes in document order, or fewer if nobody waits for the proposal any more.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        self.until(self.tree.ids())
    }

    /// Returns the items of an iterator, or fewer if nobody waits for the proposal any more.
    pub fn until<I: IntoIterator>(&self, items: I) -> impl Iterator<Item = I::Item> + use<'a, I> {
        self.language.interruption.until(items)
    }

    /// Returns all names with their places; found on first use, linear in the tree.
    pub(crate) fn index(&self) -> &Names {
        self.facts.index.get_or_init(|| {
            let mut names = Names::default();
            for id in self.ids().filter(|&id| self.is_name(id)) {
                names.entry(self.name_key(id).into_owned()).or_default().push(id);
            }
            names
        })
    }

    /// Returns the nodes of some kinds, in document order; linear in these, and for the first pass
    /// that asks in all nodes.
    pub(crate) fn of_kinds(&self, kinds: impl Iterator<Item = Kind>) -> Vec<NodeId> {
        let all = self.facts.kinds.get_or_init(|| {
            let mut all: FxHashMap<Kind, Vec<NodeId>> = FxHashMap::default();
            self.ids().for_each(|id| all.entry(self.kind(id)).or_default().push(id));
            all
        });
        let mut nodes: Vec<NodeId> =
            kinds.filter_map(|kind| all.get(&kind)).flatten().copied().collect();
        nodes.sort_unstable();
        nodes
    }

    /// Returns the nodes that play a role, in document order.
    pub(crate) fn playing(&self, role: Role) -> Vec<NodeId> {
        self.of_kinds(self.language.roles.kinds(role))
    }

    /// Returns all mentions of the name at `id`, in document order: none if nobody waits any more.
    pub fn mentions(&self, id: NodeId) -> &[NodeId] {
        self.mentions_of(&self.name_key(id))
    }

    /// Returns all mentions of a name by its [key](Self::name_key).
    pub(crate) fn mentions_of(&self, key: &[u8]) -> &[NodeId] {
        self.index().get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns by what a name is known: its text, or where it is local to a function the name alone
    /// with that function.
    pub fn name_key(&self, id: NodeId) -> Cow<'a, [u8]> {
        self.local_to(id).map_or(Cow::Borrowed(self.text_of(id)), |function| {
            Cow::Owned([self.bare_name(id), &[0], &function.0.to_be_bytes()].concat())
        })
    }

    /// Returns the function that a name is local to. Linear in the depth where names can be.
    pub fn local_to(&self, id: NodeId) -> Option<NodeId> {
        if !self.is(Role::Local, id) || self.parent_that(Role::Type, id).is_some() {
            return None;
        }
        self.ancestors(id).find(|&around| self.is(Role::Function, around))
    }

    /// Returns a name without the signs around it that do not belong to it.
    pub fn bare_name(&self, id: NodeId) -> &'a [u8] {
        let text = self.text_of(id);
        let Some(sigils) = &self.signs(id).sigils else { return text };
        let is_own = |byte: &u8| !sigils.contains(byte);
        let ends = text.iter().position(is_own).zip(text.iter().rposition(is_own));
        ends.map_or(text, |(start, end)| &text[start..=end])
    }

    /// Returns the text of the name at `id` with another name between its signs.
    pub(crate) fn renamed(&self, id: NodeId, name: &[u8]) -> Vec<u8> {
        let text = self.text_of(id);
        let bare = self.bare_name(id);
        let start = text.windows(bare.len()).position(|part| part == bare).unwrap_or(0);
        [&text[..start], name, &text[start + bare.len()..]].concat()
    }

    /// Returns the names that stand in parts of leaves, in order of appearance; made on first use,
    /// linear in the tree times a logarithm.
    pub fn references(&self) -> &[Reference] {
        self.facts.references.get_or_init(|| Reference::all(self.tree, self.language))
    }

    /// Returns the graph of all parts; made on first use.
    pub(crate) fn graph(&self) -> &Graph {
        self.facts.graph.get_or_init(|| Graph::of(self))
    }

    /// Returns whether the node can be dropped from its parent, perhaps with a separator. All
    /// answers are found on first use, linear in the tree times the states of the automata.
    pub fn is_droppable(&self, id: NodeId) -> bool {
        let droppable = self.facts.droppable.get_or_init(|| {
            let mut all = vec![false; self.len()];
            for parent in self.ids().filter(|&id| !self.is_leaf(id)) {
                for child in droppable_children(self.tree, self.language, parent) {
                    all[child.0 as usize] = true;
                }
            }
            all
        });
        droppable[id.0 as usize]
    }

    /// Returns the states of the grammar around the children of a node; `None` where nothing is
    /// known. Linear in the children, but only once for many.
    pub(crate) fn siblings(&self, parent: NodeId) -> Option<Rc<Siblings>> {
        if let Some(known) = self.siblings.borrow().get(&parent) {
            return Some(Rc::clone(known));
        }
        let siblings = Rc::new(Siblings::of(self, parent)?);
        if siblings.children.len() >= MANY_SIBLINGS {
            self.siblings.borrow_mut().insert(parent, Rc::clone(&siblings));
        }
        Some(siblings)
    }

    /// Returns whether the node is a leaf that is a name.
    pub fn is_name(&self, id: NodeId) -> bool {
        self.is_leaf(id) && self.language.roles.is(Role::Identifier, self.kind(id))
    }

    /// Returns the kinds of some children, as far as the grammar says where they may stand.
    pub(crate) fn kinds_of(&self, children: &[NodeId]) -> impl Iterator<Item = Kind> {
        children.iter().filter(|&&child| !self.flags(child).extra).map(|&child| self.kind(child))
    }

    /// Returns the leaves below a node, or the node itself if it is one.
    pub(crate) fn leaves_in(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> {
        self.subtree(id).filter(|&leaf| self.is_leaf(leaf))
    }

    /// Returns the names below a node, or the node itself if it is one.
    pub(crate) fn names_in(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> {
        self.subtree(id).filter(|&name| self.is_name(name))
    }

    /// Returns a node and those around it, innermost first.
    pub(crate) fn around(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        once(id).chain(self.ancestors(id))
    }

    /// Returns the children that are no signs and no comments: what a list holds.
    pub fn elements(&self, list: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(list).filter(|&c| self.is_named(c) && !self.flags(c).extra)
    }

    /// Returns the tokens that the language of a node has for texts that passes write.
    pub fn signs(&self, id: NodeId) -> &'a Tokens {
        let roles = &self.language.roles;
        if roles.tokens_of.is_empty() {
            return &roles.tokens;
        }
        let own = self.around(id).find_map(|id| roles.tokens_of.get(&self.kind(id)));
        own.map_or(&roles.tokens, |own| own)
    }

    /// Returns the texts that may stand for a node, smallest first: those for values of its
    /// property or for what begins as it does, else those of its kind.
    pub fn placeholders(&self, id: NodeId) -> &'a [Placeholder] {
        let roles = &self.language.roles;
        let text = self.text_of(id);
        let is_of = |properties: &BTreeSet<Vec<u8>>| {
            let property = self.property_of(id).map(<[u8]>::to_ascii_lowercase);
            property.is_some_and(|property| properties.contains(&property))
        };
        let mut specials = roles.special_placeholders.get(&self.kind(id)).into_iter().flatten();
        let special = specials.find(|special| {
            (special.begins.is_empty()
                || special.begins.iter().any(|start| text.starts_with(start)))
                && (special.properties.is_empty() || is_of(&special.properties))
        });
        let texts = special.map(|special| &special.texts);
        texts.or_else(|| roles.placeholders.get(&self.kind(id))).map_or(&[], Vec::as_slice)
    }

    /// Returns the text of a node.
    pub(crate) fn text_of(&self, id: NodeId) -> &'a [u8] {
        self.tree.text_of(id)
    }

    /// Returns the property that is declared where a node stands.
    fn property_of(&self, id: NodeId) -> Option<&'a [u8]> {
        let declaration = self.ancestors(id).find(|&around| self.is(Role::Declaration, around))?;
        let name = self.children(declaration).next().filter(|&name| name != id)?;
        Some(self.text_of(name).trim_ascii())
    }

    /// Returns the part of a node that the grammar names so.
    pub fn part(&self, id: NodeId, role: FieldRole) -> Option<NodeId> {
        self.children(id).find(|&child| self.plays(role, child))
    }

    /// Returns whether the grammar gives a node this part in its parent.
    pub(crate) fn plays(&self, role: FieldRole, id: NodeId) -> bool {
        let fields = self.language.roles.fields(role);
        self.field(id).is_some_and(|field| fields.contains(&field))
    }

    /// Returns whether the node plays one of several roles.
    pub(crate) fn is_any(&self, roles: &[Role], id: NodeId) -> bool {
        roles.iter().any(|&role| self.is(role, id))
    }

    /// Returns whether a node around this one plays a role.
    pub(crate) fn is_in(&self, role: Role, id: NodeId) -> bool {
        self.ancestors(id).any(|around| self.is(role, around))
    }

    /// Returns the parent of a node, if it plays a role.
    pub(crate) fn parent_that(&self, role: Role, id: NodeId) -> Option<NodeId> {
        self.parent(id).filter(|&parent| self.is(role, parent))
    }

    /// Returns the innermost node that has all the text of this one.
    pub(crate) fn innermost(&self, id: NodeId) -> NodeId {
        let all =
            |&at: &NodeId| self.children(at).next().filter(|&c| self.span(c) == self.span(at));
        std::iter::successors(Some(id), all).last().unwrap_or(id)
    }

    /// Returns the statement that consists of an expression: what holds nothing else, or the
    /// expression itself, where expressions stand among statements.
    pub(crate) fn statement_of(&self, expression: NodeId) -> Option<NodeId> {
        let parent = self.parent(expression)?;
        let stands_alone = self.is(Role::Statement, expression) && self.is(Role::Block, parent);
        let holds = self.is(Role::ExpressionStatement, parent);
        holds.then_some(parent).or(stands_alone.then_some(expression))
    }

    /// Returns the name of what a node defines, if that is a plain name.
    pub fn name_part(&self, id: NodeId) -> Option<NodeId> {
        self.part(id, FieldRole::Name).filter(|&name| self.is_name(name))
    }

    /// Returns whether the node plays a role of the language's manifest.
    pub fn is(&self, role: Role, id: NodeId) -> bool {
        self.language.roles.is(role, self.kind(id))
    }

    /// Returns whether the item was refused before and nothing that it depends on has changed
    /// since.
    pub fn was_refused(&self, item: &Item) -> bool {
        let is_known = |key: u64| self.refused.contains(&key);
        !self.again
            && (is_known(self.fingerprint(item)) || self.outline(item).is_some_and(is_known))
    }

    /// Returns those items that are worth proposing.
    pub fn untried(&self, items: impl IntoIterator<Item = Item>) -> Vec<Item> {
        self.until(items).filter(|item| !self.was_refused(item)).collect()
    }

    /// Proposes those items that are worth it; `None` if there are none.
    pub(crate) fn proposal(
        &self,
        items: impl IntoIterator<Item = Item>,
        plan: Plan,
    ) -> Option<Proposal> {
        Proposal::new(self.untried(items), plan)
    }

    /// Returns the first of these alternatives that was not refused; in the sweep all.
    pub(crate) fn next_of(&self, items: impl IntoIterator<Item = Item>) -> Vec<Item> {
        let at_once = if self.again { usize::MAX } else { 1 };
        self.until(items).filter(|item| !self.was_refused(item)).take(at_once).collect()
    }

    /// Returns the change that replaces a node by a text of its kind.
    pub(crate) fn reworded(&self, id: NodeId, text: impl AsRef<[u8]>) -> Change {
        Change::replace_with(text, Some(self.kind(id)))
    }

    /// Returns the item that drops a node.
    pub(crate) fn drop(&self, id: NodeId) -> Item {
        self.drop_all(once(id))
    }

    /// Returns the item that drops several nodes, none of which stands in another.
    pub(crate) fn drop_all(&self, ids: impl IntoIterator<Item = NodeId, IntoIter: Clone>) -> Item {
        let ids = ids.into_iter();
        let weight = ids.clone().map(|id| self.tokens(id)).sum();
        Item::new(Edits::drop_all(ids), weight)
    }

    /// Returns those of some nodes, in document order, that stand in no other one.
    pub(crate) fn outermost<I>(&self, ids: I) -> impl Iterator<Item = NodeId>
    where
        I: IntoIterator<Item = NodeId>,
    {
        let mut end = NodeId(0);
        ids.into_iter().filter(move |&id| {
            let is_outermost = id >= end;
            end = end.max(self.subtree_end(id));
            is_outermost
        })
    }

    /// Returns a hash of everything that an item's refusal depends on, as far as we see: its own
    /// tokens, what replaces them, the place, and which of its names are used elsewhere. Names
    /// count by their order of appearance only, so renaming does not bring refused items back.
    pub fn fingerprint(&self, item: &Item) -> u64 {
        let mut hasher = FxHasher::default();
        self.gate.hash(&mut hasher);
        let mut inside = Inside::default();
        for (id, change) in item.edits.iter() {
            if change.is_inside() {
                self.hash_cut(id, &change.0, &mut hasher);
                continue;
            }
            self.hash_shape(id, &mut inside, &mut hasher);
            self.parent(id).map(|p| self.kind(p)).hash(&mut hasher);
            for piece in &change.0 {
                match piece {
                    Piece::Node(n) if self.contains(id, *n) => (n.0 - id.0).hash(&mut hasher),
                    Piece::Node(n) => self.hash(*n).hash(&mut hasher),
                    Piece::Text(text, _) => text.hash(&mut hasher),
                    Piece::Part(from, to) => (from, to).hash(&mut hasher),
                }
            }
        }
        let uses = inside.into_iter();
        let uses =
            uses.map(|(name, (order, count))| (order, self.mentions_of(&name).len() > count));
        let mut elsewhere: Vec<(usize, bool)> = uses.collect();
        elsewhere.sort_unstable();
        elsewhere.hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the [fingerprints](Self::fingerprint) of these items, or of fewer if nobody waits
    /// for them any more.
    pub fn fingerprints<'i>(&self, items: impl IntoIterator<Item = &'i Item>) -> Vec<u64> {
        let keys = |item: &'i Item| self.outline(item).into_iter().chain([self.fingerprint(item)]);
        self.until(items).flat_map(keys).collect()
    }

    /// Returns a hash by which the hoist of nodes out of a large part is known again after these
    /// nodes have shrunk: the kinds of the part and of its parent, the power of two of its size,
    /// its ends, and the number of tokens that go. A frame that had to stay around nodes hardly
    /// ever can go because something in them went. Where readers make something of every text, a
    /// part that is dropped as a whole has such a hash as well.
    fn outline(&self, item: &Item) -> Option<u64> {
        let mut edits = item.edits.iter();
        let (id, change) = edits.next()?;
        let tokens = self.tokens(id);
        if edits.next().is_some() || tokens < OUTLINED_PART {
            return None;
        }
        let kept = change.0.iter().map(|piece| match piece {
            Piece::Node(inner) => self.contains(id, *inner).then(|| self.tokens(*inner)),
            _ => None,
        });
        let kept = kept.sum::<Option<u32>>()?;
        if kept == 0 && !self.signs(id).whole_tags {
            return None;
        }
        let lost = (kept > 0).then_some(tokens.saturating_sub(kept));
        let mut hasher = FxHasher::default();
        let parent = self.parent(id).map(|parent| self.kind(parent));
        (self.gate, self.kind(id), parent, tokens.ilog2(), lost).hash(&mut hasher);
        self.hash_ends(id, &mut hasher);
        Some(hasher.finish())
    }

    /// Hashes how a part begins and ends.
    fn hash_ends(&self, id: NodeId, hasher: &mut FxHasher) {
        for leaf in self.leaves_in(id).take(FIRST_LEAVES).chain(self.leaves_in(id).next_back()) {
            self.text_of(leaf).hash(hasher);
        }
    }

    /// Hashes what is cut out of a leaf, with the byte on each side, and what is put in: the rest
    /// of the leaf mostly does not matter.
    fn hash_cut(&self, id: NodeId, parts: &[Piece], hasher: &mut FxHasher) {
        let text = self.text_of(id);
        self.kind(id).hash(hasher);
        let texts = parts.iter().filter(|piece| matches!(piece, Piece::Text(..)));
        texts.for_each(|text| text.hash(hasher));
        let mut at = 0;
        let end = Piece::Part(text.len() as u32, text.len() as u32);
        for piece in parts.iter().chain([&end]) {
            let &Piece::Part(from, to) = piece else { continue };
            if from > at {
                text[at.saturating_sub(1) as usize..text.len().min(from as usize + 1)].hash(hasher);
            }
            at = to;
        }
    }

    /// Hashes the tokens below `id`, names as numbers in order of appearance in `inside`, which
    /// counts them too.
    fn hash_shape(&self, id: NodeId, inside: &mut Inside<'a>, hasher: &mut FxHasher) {
        if self.subtree_end(id).0 - id.0 > HASHED_NODES {
            self.hash(id).hash(hasher);
            return;
        }
        for leaf in self.leaves_in(id) {
            if self.is_name(leaf) {
                let new = inside.len();
                let (order, count) = inside.entry(self.name_key(leaf)).or_insert((new, 0));
                *count += 1;
                order.hash(hasher);
            } else {
                self.hash(leaf).hash(hasher);
            }
        }
    }
}
