//! Decides whether the grammar can form a set of edits, and which separators have to go with it.
//!
//! This is the first gate; the second one, parsing the candidate, is the caller's.

use smallvec::{SmallVec, smallvec};

use crate::{Automaton, Change, Edits, Kind, Language, NodeId, Piece, Role, Tree};

/// Edits that the grammar can form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feasible {
    /// The edits, with the separators and brackets that go along.
    pub edits: Edits,
    /// Whether the facts covered every changed node; if not, only a parser can tell.
    pub certain: bool,
}

/// Completes `edits` by dropping the fewest tokens without a name of their own (separators) such
/// that every changed node has children that its kind may have; `None` when that is impossible, so
/// the configuration is infeasible. A separator between two nodes, one of which goes, goes with it
/// where it may: `f(a, b)` without `b` is `f(a)`, even if the language knows `f(a,)`.
///
/// Least-cost choice by dynamic programming over (child, state of the automaton): linear in the
/// children of the changed nodes times the active states.
pub fn close(tree: &Tree, language: &Language, edits: Edits) -> Option<Feasible> {
    let mut certain = true;
    let mut dropped = Vec::new();
    for parent in live_parents(tree, &edits) {
        match close_one(tree, language, &edits, parent) {
            Verdict::Fits(separators) => dropped.extend(separators),
            Verdict::Unknown => certain = false,
            Verdict::Impossible => return None,
        }
    }
    // A separator that is edited itself was no candidate for dropping, so nothing contradicts.
    let edits = match dropped.is_empty() {
        true => edits,
        false => Edits::merged([&edits, &Edits::drop_all(dropped)])?,
    };
    Some(Feasible { edits, certain })
}

/// Returns the children of `id` that can be dropped alone, or with one separator next to them.
///
/// Linear in the children times the states of the automaton.
pub fn droppable_children(tree: &Tree, language: &Language, id: NodeId) -> Vec<NodeId> {
    let Some(automaton) = known(tree, language, id).filter(|automaton| !automaton.takes_any())
    else {
        return tree.children(id).collect();
    };
    let (free, children): (Vec<NodeId>, Vec<NodeId>) =
        tree.children(id).partition(|&child| is_free(tree, child));
    let kinds: Vec<Kind> = children.iter().map(|&child| tree.kind(child)).collect();
    let (before, behind) = automaton.around(&kinds);
    if before[0].is_disjoint(&behind[0]) {
        return tree.children(id).collect();
    }
    // A token without a name goes along, before it or after it.
    let is_keyword = |c: NodeId| language.roles.is(Role::Keyword, tree.kind(c));
    let is_token =
        |i: &usize| children.get(*i).is_some_and(|&c| !tree.is_named(c) || is_keyword(c));
    let may_go = |&i: &usize| {
        let starts = [Some(i), i.checked_sub(1).filter(is_token)].into_iter().flatten();
        let ends = [Some(i + 1), Some(i + 1).filter(is_token).map(|end| end + 1)];
        let mut ends =
            starts.flat_map(|start| ends.into_iter().flatten().map(move |end| (start, end)));
        ends.any(|(start, end)| !before[start].is_disjoint(&behind[end]))
    };
    let found = (0..children.len()).filter(may_go).map(|i| children[i]);
    let mut found: Vec<NodeId> = found.chain(free).collect();
    found.sort_unstable();
    found
}

/// Comments and broken regions may stand, and be missing, anywhere.
fn is_free(tree: &Tree, id: NodeId) -> bool {
    let flags = tree.flags(id);
    flags.extra || flags.error
}

fn known<'a>(tree: &Tree, language: &'a Language, id: NodeId) -> Option<&'a Automaton> {
    language.facts.automaton(tree.kind(id)).filter(|_| !tree.flags(id).error)
}

/// A few nodes, mostly.
type Nodes = SmallVec<[NodeId; 16]>;

/// Returns the changes that have an effect.
fn live<'e>(tree: &Tree, edits: &'e Edits) -> impl Iterator<Item = (NodeId, &'e Change)> {
    let mut gone_until = NodeId(0);
    edits.iter().filter(move |&(id, _)| {
        // Below a node that was replaced nothing is certain to be used, unless it was hoisted.
        let is_live = id >= gone_until || is_used(tree, edits, id);
        gone_until = gone_until.max(if is_live { tree.subtree_end(id) } else { id });
        is_live
    })
}

/// Returns the parents of changed nodes that are still there themselves.
fn live_parents(tree: &Tree, edits: &Edits) -> Nodes {
    let mut parents: Nodes = live(tree, edits).filter_map(|(id, _)| tree.parent(id)).collect();
    parents.sort_unstable();
    parents.dedup();
    parents
}

/// Returns how many tokens fewer there are after edits; fewer than none if they add some. Those
/// below a part that goes count once.
pub fn won(tree: &Tree, language: &Language, edits: &Edits) -> i64 {
    let left = |piece: &Piece| match piece {
        Piece::Node(node) => tree.tokens(*node).into(),
        Piece::Text(text, _) => language.tokens(text).cast_signed(),
        Piece::Part(..) => 0,
    };
    let mut won = 0;
    for (id, change) in live(tree, edits).filter(|(_, change)| !change.is_inside()) {
        won += i64::from(tree.tokens(id)) - change.0.iter().map(left).sum::<i64>();
    }
    won
}

/// Returns whether a node below a replaced one is still rendered: every replaced ancestor brings it
/// in.
fn is_used(tree: &Tree, edits: &Edits, id: NodeId) -> bool {
    tree.ancestors(id).all(|a| {
        edits.get(a).is_none_or(|change| {
            change.0.iter().any(|piece| match piece {
                // The hoisted node itself leaves its old parent.
                Piece::Node(n) if *n == a => true,
                Piece::Node(n) => *n < id && tree.contains(*n, id),
                Piece::Text(..) | Piece::Part(..) => false,
            })
        })
    })
}

enum Verdict {
    Fits(Vec<NodeId>),
    Unknown,
    Impossible,
}

/// One place in a sequence of children.
struct Slot {
    kind: Kind,
    /// The separator that stands here and may be dropped.
    separator: Option<NodeId>,
    /// Whether it has nothing to separate any more.
    is_idle: bool,
}

fn close_one(tree: &Tree, language: &Language, edits: &Edits, parent: NodeId) -> Verdict {
    let Some(automaton) = known(tree, language, parent) else { return Verdict::Unknown };
    if automaton.takes_any() && only_drops_named(tree, edits, parent) {
        let knows_all = tree.children(parent).all(|child| automaton.knows(tree.kind(child)));
        return if knows_all { Verdict::Fits(Vec::new()) } else { Verdict::Unknown };
    }
    let children: Nodes = tree.children(parent).filter(|&c| !is_free(tree, c)).collect();
    let goes = |child: NodeId| edits.get(child).is_some_and(|change| change.0.is_empty());
    let is_idle = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)];
        let beside = beside.map(|at| children.get(at?).copied().filter(|&c| tree.is_named(c)));
        matches!(beside, [Some(a), Some(b)] if goes(a) || goes(b))
    };
    let mut slots: SmallVec<[Slot; 16]> = SmallVec::with_capacity(children.len());
    let mut changed = edits.within(tree, parent).map(|(id, _)| id).peekable();
    for (at, &child) in children.iter().enumerate() {
        while changed.next_if(|&id| id < child).is_some() {}
        if changed.peek() != Some(&child) {
            let is_keyword = || language.roles.is(Role::Keyword, tree.kind(child));
            let separator = (!tree.is_named(child) || is_keyword()).then_some(child);
            let is_idle = !tree.is_named(child) && is_idle(at);
            slots.push(Slot { kind: tree.kind(child), separator, is_idle });
            continue;
        }
        for kind in kinds_of(tree, edits, child) {
            let Some(kind) = kind else { return Verdict::Unknown };
            slots.push(Slot { kind, separator: None, is_idle: false });
        }
    }
    match cheapest(automaton, &slots) {
        Some(separators) => Verdict::Fits(separators),
        None if !automaton.accepts(children.iter().map(|&c| tree.kind(c))) => Verdict::Unknown,
        None => Verdict::Impossible,
    }
}

/// Returns whether no child of a node is a separator, and whether those that are changed go.
fn only_drops_named(tree: &Tree, edits: &Edits, parent: NodeId) -> bool {
    let is_child = |id: NodeId| tree.parent(id) == Some(parent);
    tree.children(parent).all(|child| tree.is_named(child) && !is_free(tree, child))
        && edits.within(tree, parent).all(|(id, change)| change.is_drop() || !is_child(id))
}

/// Returns the kinds that an edited node is replaced with; `None` for a text of unknown kind.
fn kinds_of(tree: &Tree, edits: &Edits, id: NodeId) -> SmallVec<[Option<Kind>; 4]> {
    let mut kinds = SmallVec::new();
    let mut stack: SmallVec<[(NodeId, bool); 4]> = smallvec![(id, false)];
    while let Some((id, settled)) = stack.pop() {
        match edits.get(id).filter(|_| !settled) {
            None if is_free(tree, id) => {}
            None => kinds.push(Some(tree.kind(id))),
            // All parts together are one leaf.
            Some(change) if change.is_inside() => kinds.push(Some(tree.kind(id))),
            Some(change) => {
                for piece in change.0.iter().rev() {
                    match piece {
                        Piece::Node(n) => stack.push((*n, *n == id)),
                        // Texts come out of order with nodes here; an unknown kind ends the check
                        // anyway, and known ones stand alone in their change.
                        Piece::Text(_, kind) => kinds.push(*kind),
                        Piece::Part(..) => {}
                    }
                }
            }
        }
    }
    kinds
}

/// Returns the cheapest way through the automaton that drops only separators.
fn cheapest(automaton: &Automaton, slots: &[Slot]) -> Option<Vec<NodeId>> {
    /// A way to a state: what it cost, and the way before, with a drop or without.
    struct Way {
        state: u32,
        cost: u32,
        before: usize,
        dropped: bool,
    }
    let mut ways: SmallVec<[Way; 32]> =
        smallvec![Way { state: 0, cost: 0, before: 0, dropped: false }];
    // The ways to the place before a slot.
    let (mut from, mut to) = (0, 1);
    for slot in slots {
        for before in from..to {
            let Way { state, cost, .. } = ways[before];
            // Keeping an idle one costs more than dropping it.
            let of_kept = cost + if slot.is_idle { 2 } else { 0 };
            let kept = automaton.next(state, slot.kind).iter();
            let kept = kept.map(|&state| Way { state, cost: of_kept, before, dropped: false });
            let gone = slot.separator.map(|_| Way { state, cost: cost + 1, before, dropped: true });
            for way in kept.chain(gone) {
                // Few states are active at a time: looking through them beats a table.
                match ways[to..].iter_mut().find(|known| known.state == way.state) {
                    Some(known) if known.cost <= way.cost => {}
                    Some(known) => *known = way,
                    None => ways.push(way),
                }
            }
        }
        if ways.len() == to {
            return None;
        }
        (from, to) = (to, ways.len());
    }
    let ends = (from..to).filter(|&at| automaton.is_accepting(ways[at].state));
    let mut at = ends.min_by_key(|&at| ways[at].cost)?;
    let mut dropped = Vec::new();
    for slot in slots.iter().rev() {
        let way = &ways[at];
        if way.dropped {
            dropped.extend(slot.separator);
        }
        at = way.before;
    }
    Some(dropped)
}
