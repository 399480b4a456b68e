//! What nobody uses any more once other things have gone: an import whose last use goes, a variable
//! that only this statement reads. Some languages refuse it, so that one cannot go without the
//! other.
//!
//! Which sorts of definitions must not be left after, the test teaches ([`Lesson`]): nothing here
//! knows.

use std::collections::{BTreeSet, HashMap, HashSet};

use minirepro_syntax::{Change, Edits, Kind, NodeId, Piece, Role, Tree};

use crate::PassContext;

/// A sort of definitions that must go with their last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lesson {
    /// The kind of the node that goes or changes.
    pub kind: Kind,
    /// Whether the name becomes the language's blank one, instead of going.
    pub is_blank: bool,
}

/// All names of a text with their mentions, and how the definition of each can go.
#[derive(Debug, Default)]
pub struct Orphans {
    names: Vec<Name>,
    /// For each leaf that is a name, its number.
    of_leaf: HashMap<NodeId, u32>,
}

#[derive(Debug)]
struct Name {
    /// In document order, without the definition.
    uses: u32,
    definition: Option<Definition>,
}

#[derive(Debug)]
struct Definition {
    leaf: NodeId,
    node: NodeId,
    change: Change,
    lesson: Lesson,
}

impl Orphans {
    /// Collects the names of a text. Linear times a logarithm.
    pub fn of(cx: &PassContext<'_>) -> Self {
        let mut elsewhere: HashMap<&[u8], NodeId> = HashMap::new();
        for reference in cx.references() {
            for mention in reference.mentions.iter().filter(|mention| mention.is_definition) {
                elsewhere.entry(&reference.name).or_insert(mention.leaf);
            }
        }
        let mut names: Vec<(&Vec<u8>, &Vec<NodeId>)> = cx.index().iter().collect();
        names.sort_unstable_by_key(|(_, mentions)| mentions.first().copied());
        let mut orphans = Self::default();
        for (text, mentions) in names {
            let other = elsewhere.get(text.as_slice()).copied();
            let is_other = other.is_some_and(|leaf| mentions.first().is_none_or(|&m| leaf < m));
            let leaf = if is_other { other } else { mentions.first().copied() };
            let definition = leaf.and_then(|leaf| Definition::of(cx, leaf, is_other));
            let uses = mentions.len() - usize::from(!is_other);
            if uses == 0 {
                continue;
            }
            let number = u32::try_from(orphans.names.len()).expect("trees have fewer nodes");
            orphans.of_leaf.extend(mentions.iter().map(|&mention| (mention, number)));
            let uses = u32::try_from(uses).expect("trees have fewer nodes");
            orphans.names.push(Name { uses, definition });
        }
        orphans
    }

    /// Returns the edits together with the definitions that lose their last use by them, and by
    /// each other, as far as they are of a sort that `goes`. Linear in what the edits take away.
    pub fn with(&self, tree: &Tree, edits: &Edits, goes: impl Fn(Lesson) -> bool) -> Edits {
        let mut all = edits.clone();
        let mut gone: HashSet<NodeId> = HashSet::new();
        let mut lost: HashMap<u32, u32> = HashMap::new();
        let mut todo: Vec<(NodeId, Change)> =
            edits.iter().map(|(id, change)| (id, change.clone())).collect();
        while let Some((id, change)) = todo.pop() {
            for leaf in leaves_gone(tree, id, &change) {
                let Some(&number) = self.of_leaf.get(&leaf) else { continue };
                let name = &self.names[number as usize];
                let Some(definition) = &name.definition else { continue };
                if definition.leaf == leaf || !gone.insert(leaf) {
                    continue;
                }
                let lost = lost.entry(number).or_default();
                *lost += 1;
                if *lost == name.uses && goes(definition.lesson) {
                    let is_new = all.get(definition.node).is_none()
                        && !tree.ancestors(definition.node).any(|around| all.get(around).is_some());
                    if is_new && all.add(definition.node, definition.change.clone()) {
                        todo.push((definition.node, definition.change.clone()));
                    }
                }
            }
        }
        all
    }

    /// Returns the sorts of definitions that [`with`](Self::with) has added to edits.
    pub fn lessons(&self, edits: &Edits, without: &Edits) -> BTreeSet<Lesson> {
        let added = |definition: &&Definition| {
            edits.get(definition.node) == Some(&definition.change)
                && without.get(definition.node).is_none()
        };
        let definitions = self.names.iter().filter_map(|name| name.definition.as_ref());
        definitions.filter(added).map(|definition| definition.lesson).collect()
    }
}

impl Definition {
    /// Returns how the definition at `leaf` can go: with the smallest part that the grammar lets
    /// go, or where that is but a name among others, as the blank name.
    fn of(cx: &PassContext<'_>, leaf: NodeId, is_elsewhere: bool) -> Option<Self> {
        // Of a text that names something all must go.
        let is_text = |&id: &NodeId| is_elsewhere && (id == leaf || cx.is(Role::Expression, id));
        let mut around = cx.around(leaf).skip_while(is_text);
        let node = around.find(|&id| cx.is_droppable(id) && id != NodeId::ROOT)?;
        let is_alone = node == leaf && !is_elsewhere;
        if is_alone && cx.is(Role::Expression, leaf) {
            let blank = cx.signs(leaf).blank.as_ref()?;
            if **blank == *cx.text_of(leaf) {
                return None;
            }
            let change = cx.reworded(leaf, blank);
            let lesson = Lesson { kind: cx.kind(leaf), is_blank: true };
            return Some(Self { leaf, node, change, lesson });
        }
        let lesson = Lesson { kind: cx.kind(node), is_blank: false };
        Some(Self { leaf, node, change: Change::drop(), lesson })
    }
}

/// Returns the leaves below a node that a change of it takes away.
fn leaves_gone(tree: &Tree, id: NodeId, change: &Change) -> Vec<NodeId> {
    if change.is_inside() {
        return Vec::new();
    }
    let kept =
        |at: NodeId| change.0.iter().any(|piece| matches!(piece, Piece::Node(node) if *node == at));
    let mut gone = Vec::new();
    let mut at = id;
    let end = tree.subtree_end(id);
    while at < end {
        if kept(at) {
            at = tree.subtree_end(at);
            continue;
        }
        gone.extend(tree.is_leaf(at).then_some(at));
        at = NodeId(at.0 + 1);
    }
    gone
}
