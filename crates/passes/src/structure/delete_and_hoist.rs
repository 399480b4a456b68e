//! Drops list elements and optional children, heaviest list first; puts smaller nodes or the least
//! text in place of what cannot go.
//!
//! A queue of lists and nodes by their own weight (Perses, ICSE'18; PARDIS, FASE'19), as a pure
//! function: the heaviest entry with an item that was not refused is proposed.

use minirepro_syntax::{Change, Edits, NodeId, droppable_children};

use crate::framework::clauses::in_place_of_the_first;
use crate::framework::dependencies::needs;
use crate::framework::limits::{DEEP_HOIST, FEW};
use crate::framework::slots::{Place, runs};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes edits of the heaviest list or node with something new to try.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    if cx.is_sweep() {
        let items = entries(cx).into_iter().flat_map(|e| items(cx, e)).collect();
        return Proposal::new(items, Plan::EACH);
    }
    entries(cx).into_iter().find_map(|entry| match entry {
        Entry::List(id) => list(cx, id),
        Entry::Node(id) => cx.proposal(choices(cx, id), Plan::EACH),
    })
}

/// Returns what can be dropped of a list: of lists that lie in each other one part of each, or else
/// all parts.
pub(crate) fn list(cx: &PassContext<'_>, id: NodeId) -> Option<Proposal> {
    let items = cx.untried(drops(cx, id));
    if items.is_empty() {
        return None;
    }
    nested_lists(cx, id, &items).or_else(|| with_needs(cx, items))
}

/// Returns where a list is hardly more than one part, that part again, and so on for several
/// levels: the part of each level, innermost first. A part that must stay needs all around it, so
/// that the level from which on everything can go is found by halving.
fn nested_lists(cx: &PassContext<'_>, id: NodeId, items: &[Item]) -> Option<Proposal> {
    let mut nested = vec![heaviest_part(cx, id, items)?];
    let mut at = nested[0].0;
    while !cx.is_leaf(at) && !is_atom(cx, at) {
        let items = cx.untried(drops(cx, at));
        if let Some(part) = heaviest_part(cx, at, &items) {
            at = part.0;
            nested.push(part);
            continue;
        }
        let heaviest = cx.children(at).max_by_key(|&child| cx.tokens(child));
        match heaviest.filter(|&child| holds_most(cx, at, child)) {
            Some(child) => at = child,
            None => break,
        }
    }
    if nested.len() < FEW {
        return None;
    }
    let count = u32::try_from(nested.len()).expect("trees have fewer nodes than there are ids");
    let items = nested.into_iter().rev().map(|(_, item)| item).collect();
    let needs = (1..=count).map(|around| (around < count).then_some(around).into_iter().collect());
    let needs = needs.collect();
    Proposal::new(items, Plan::ALL).map(|proposal| Proposal { needs, ..proposal })
}

/// Returns the part that makes up most of a list, and the item that drops it.
fn heaviest_part(cx: &PassContext<'_>, list: NodeId, items: &[Item]) -> Option<(NodeId, Item)> {
    let heaviest = items.iter().max_by_key(|item| item.weight)?;
    let (part, _) = heaviest.edits.iter().next()?;
    holds_most(cx, list, part).then(|| (part, heaviest.clone()))
}

fn holds_most(cx: &PassContext<'_>, outer: NodeId, inner: NodeId) -> bool {
    let tokens = |id| u64::from(cx.tokens(id));
    4 * tokens(inner) >= 3 * tokens(outer)
}

/// Where something can be tried.
#[derive(Clone, Copy)]
pub(crate) enum Entry {
    /// The children of a node.
    List(NodeId),
    /// A node that may be replaced.
    Node(NodeId),
}

/// Returns all entries, heaviest first; of equal weight, lists before nodes, later before earlier.
pub(crate) fn entries(cx: &PassContext<'_>) -> Vec<Entry> {
    let mut entries: Vec<(u32, bool, NodeId)> = Vec::new();
    for id in cx.ids() {
        if !cx.is_leaf(id) && !is_atom(cx, id) {
            entries.push((cx.tokens(id), true, id));
        }
        if id != NodeId::ROOT && cx.tokens(id) > 1 && cx.is_named(id) {
            entries.push((cx.tokens(id), false, id));
        }
    }
    entries.sort_unstable_by(|a, b| b.cmp(a));
    entries
        .into_iter()
        .map(|(_, list, id)| if list { Entry::List(id) } else { Entry::Node(id) })
        .collect()
}

/// Items of one list, with what they need of each other.
fn with_needs(cx: &PassContext<'_>, items: Vec<Item>) -> Option<Proposal> {
    let needs = needs(cx, &items);
    // Without a grammar, items are characters, words and lines: none is known to need others.
    let strategy = if cx.language.spacing.between_tokens { Plan::ALL } else { Plan::HALVES };
    Proposal::new(items, strategy).map(|proposal| Proposal { needs, ..proposal })
}

/// Returns whether a node is one token in spite of having children. Where every byte is in a leaf,
/// characters go one by one.
pub(crate) fn is_atom(cx: &PassContext<'_>, id: NodeId) -> bool {
    cx.language.spacing.between_tokens && cx.tokens(id) <= 1
}

/// Returns the items of a list or node, without what the parts of a list need of each other.
pub(crate) fn items(cx: &PassContext<'_>, entry: Entry) -> Vec<Item> {
    match entry {
        Entry::List(id) => drops(cx, id),
        Entry::Node(id) => {
            let mut items = least_texts(cx, id);
            items.extend(hoists(cx, id));
            items.extend(in_place_of_the_first(cx, id));
            items
        }
    }
}

/// Returns the ways to replace a node that are tried in the rounds: the least text, and where that
/// does not do, what is left without the least part of it; without a least text, the two smallest
/// nodes from below. The sweep, on a smaller tree, has all.
fn choices(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let mut hoists = hoists(cx, id);
    match least_texts(cx, id).into_iter().next() {
        Some(least) => [least].into_iter().chain(hoists.pop()).collect(),
        None => hoists.into_iter().take(2).collect(),
    }
}

/// Returns the droppable children, later before earlier (uses before definitions).
fn drops(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    droppable_children(cx.tree, cx.language, id)
        .into_iter()
        .rev()
        .filter(|&c| cx.is_named(c) || cx.tokens(c) > 0)
        .map(|c| cx.drop(c))
        .collect()
}

/// Returns least texts that fit the node's place.
pub(crate) fn least_texts(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let texts = cx.placeholders(id);
    if texts.is_empty() {
        return Vec::new();
    }
    let place = Place::of(cx, id);
    let fits = texts
        .iter()
        .filter(|(text, kind)| kind.is_none_or(|k| place.takes([k])) && **text != *cx.text_of(id));
    // Where readers know the words, what one of them cannot do no other can.
    let most = if cx.signs(id).fixed_words { 1 } else { usize::MAX };
    fits.take(most)
        .map(|(text, kind)| {
            let edits = Edits::one(id, Change::replace_with(text, *kind));
            Item::new(edits, cx.tokens(id).saturating_sub(1))
        })
        .collect()
}

/// Returns smaller nodes and runs of nodes from below that fit the node's place, smallest result
/// first.
pub(crate) fn hoists(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let own = cx.tokens(id);
    let place = Place::of(cx, id);
    let mut found: Vec<(u32, Change)> = Vec::new();
    let mut at = id;
    while at < cx.subtree_end(id) {
        let before = found.len();
        let is_smaller = at != id && cx.tokens(at) < own;
        if is_smaller && cx.is_named(at) && !cx.flags(at).extra && place.takes([cx.kind(at)]) {
            found.push((cx.tokens(at), Change::hoist(at)));
        }
        for run in runs(cx, at) {
            let kinds = run.iter().filter(|&&c| !cx.flags(c).extra).map(|&c| cx.kind(c));
            if place.takes(kinds) {
                let tokens = run.iter().map(|&c| cx.tokens(c)).sum();
                found.push((tokens, Change::splice(run)));
            }
        }
        let deeper = at == id || found.len() == before || own <= DEEP_HOIST;
        at = if deeper { NodeId(at.0 + 1) } else { cx.subtree_end(at) };
    }
    found.sort_by_key(|&(tokens, _)| tokens);
    found
        .into_iter()
        .map(|(tokens, change)| Item::new(Edits::one(id, change), own.saturating_sub(tokens)))
        .collect()
}
