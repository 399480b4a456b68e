//! Drops a part that the test did not let go alone, together with the definitions that nothing else
//! uses: an import whose last use goes, a variable that only this statement reads. Some languages
//! refuse it, so that one cannot go without the other.
//!
//! Which sorts of definitions must not be left after, the test teaches ([`Lesson`]): nothing here
//! knows. What succeeds is a lesson for the rest of the run.

use std::collections::{BTreeSet, HashMap, HashSet};

use minirepro_syntax::{Change, Edits, Kind, NodeId, Piece, Role, Tree};

use crate::framework::limits::{TEACHING_PARTS, TEACHING_SHARE};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the heaviest parts: alone, or where that was refused, for each sort of definitions the
/// heaviest part with which such a definition loses its last use.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    if !cx.language.spacing.between_tokens {
        return None;
    }
    let least = (cx.tokens(NodeId::ROOT) / TEACHING_SHARE).max(2);
    let is_heavy = |&id: &NodeId| cx.tokens(id) >= least && cx.is_named(id) && cx.is_droppable(id);
    let mut parts: Vec<NodeId> = cx.ids().filter(is_heavy).collect();
    parts.sort_by_key(|&id| std::cmp::Reverse(cx.tokens(id)));
    let mut known: BTreeSet<BTreeSet<Lesson>> = BTreeSet::new();
    let items = parts.into_iter().map(|id| cx.drop(id)).filter_map(|alone| {
        if !cx.was_refused(&alone) {
            return Some(alone);
        }
        let all = cx.with_orphans(&alone.edits, |_| true);
        let lessons = cx.orphans().lessons(&all, &alone.edits);
        let item = Item::new(all, alone.weight);
        // Of each sort one part at a time is enough.
        let is_new = !lessons.is_empty() && known.insert(lessons) && !cx.was_refused(&item);
        is_new.then_some(item)
    });
    Proposal::new(items.take(TEACHING_PARTS).collect(), Plan::EACH)
}

/// Returns what an accepted item of this pass teaches.
pub fn lessons(cx: &PassContext<'_>, item: &Item) -> BTreeSet<Lesson> {
    let heaviest = item.edits.iter().max_by_key(|&(id, _)| cx.tokens(id));
    let Some((part, _)) = heaviest else { return BTreeSet::new() };
    cx.orphans().lessons(&item.edits, &Edits::drop(part))
}

/// A sort of definitions that must go with their last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lesson {
    /// The kind of the node that goes or changes.
    pub kind: Kind,
    /// Whether the name becomes the language's blank one, instead of going.
    pub is_blank: bool,
}

/// The definitions of a text, and how each can go.
#[derive(Debug, Default)]
pub(crate) struct Orphans {
    definitions: Vec<Definition>,
    /// For each leaf that is a name, the number of its definition.
    of_leaf: HashMap<NodeId, usize>,
}

#[derive(Debug)]
struct Definition {
    leaf: NodeId,
    node: NodeId,
    change: Change,
    lesson: Lesson,
    /// How many leaves mention it elsewhere.
    uses: usize,
}

impl Orphans {
    /// Collects the names of a text. Linear times a logarithm.
    pub(crate) fn of(cx: &PassContext<'_>) -> Self {
        let mut elsewhere: HashMap<&[u8], NodeId> = HashMap::new();
        for reference in cx.references() {
            if let Some(given) = reference.mentions.iter().find(|mention| mention.is_definition) {
                elsewhere.entry(&reference.name).or_insert(given.leaf);
            }
        }
        let mut orphans = Self::default();
        for (text, mentions) in cx.index() {
            let other = elsewhere.get(&text[..]).copied().filter(|&leaf| leaf < mentions[0]);
            let definition = Definition::of(cx, other.unwrap_or(mentions[0]), other.is_some());
            let uses = mentions.len() - usize::from(other.is_none());
            if let Some(definition) = definition.filter(|_| uses > 0) {
                let number = orphans.definitions.len();
                orphans.of_leaf.extend(mentions.iter().map(|&mention| (mention, number)));
                orphans.definitions.push(Definition { uses, ..definition });
            }
        }
        orphans
    }

    /// Returns the sorts of definitions that were added to edits.
    fn lessons(&self, edits: &Edits, without: &Edits) -> BTreeSet<Lesson> {
        let added = self.definitions.iter().filter(|Definition { node, change, .. }| {
            edits.get(*node) == Some(change) && without.get(*node).is_none()
        });
        added.map(|definition| definition.lesson).collect()
    }
}

impl PassContext<'_> {
    /// Returns the edits together with the definitions that lose their last use by them, and by
    /// each other, as far as they are of a sort that `goes`. Linear in what the edits take away.
    pub fn with_orphans(&self, edits: &Edits, goes: impl Fn(Lesson) -> bool) -> Edits {
        let orphans = self.orphans();
        let mut all = edits.clone();
        let mut gone: HashSet<NodeId> = HashSet::new();
        let mut lost: HashMap<usize, usize> = HashMap::new();
        let changes = edits.iter().map(|(id, change)| (id, change.clone()));
        let mut todo: Vec<(NodeId, Change)> = changes.collect();
        while let Some((id, change)) = todo.pop() {
            for leaf in leaves_gone(self, id, &change) {
                let Some(&number) = orphans.of_leaf.get(&leaf) else { continue };
                let definition = &orphans.definitions[number];
                if definition.leaf == leaf || !gone.insert(leaf) {
                    continue;
                }
                let lost = lost.entry(number).or_default();
                *lost += 1;
                if *lost == definition.uses && goes(definition.lesson) {
                    let (node, change) = (definition.node, definition.change.clone());
                    let mut around = [node].into_iter().chain(self.ancestors(node));
                    if around.all(|id| all.get(id).is_none()) && all.add(node, change.clone()) {
                        todo.push((node, change));
                    }
                }
            }
        }
        all
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
        let is_blank = node == leaf && !is_elsewhere && cx.is(Role::Expression, leaf);
        let change = match is_blank {
            true => {
                let blank = cx.signs(leaf).blank.as_ref();
                cx.reworded(leaf, blank.filter(|blank| ***blank != *cx.text_of(leaf))?)
            }
            false => Change::drop(),
        };
        let lesson = Lesson { kind: cx.kind(node), is_blank };
        Some(Self { leaf, node, change, lesson, uses: 0 })
    }
}

/// Returns the leaves below a node that a change of it takes away.
fn leaves_gone(tree: &Tree, id: NodeId, change: &Change) -> Vec<NodeId> {
    let kept = |at| change.0.contains(&Piece::Node(at));
    let mut gone = Vec::new();
    let mut at = if change.is_inside() { tree.subtree_end(id) } else { id };
    while at < tree.subtree_end(id) {
        gone.extend((tree.is_leaf(at) && !kept(at)).then_some(at));
        at = if kept(at) { tree.subtree_end(at) } else { NodeId(at.0 + 1) };
    }
    gone
}
