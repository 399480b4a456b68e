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
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes edits of the heaviest list or node with something new to try.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.is_sweep() {
        let items = entries(context).into_iter().flat_map(|e| items(context, e)).collect();
        return Proposal::new(items, Strategy::Single);
    }
    entries(context).into_iter().find_map(|entry| match entry {
        Entry::List(id) => list(context, id),
        Entry::Node(id) => Proposal::new(context.untried(choices(context, id)), Strategy::Single),
    })
}

/// Returns what can be dropped of a list: of lists that lie in each other one part of each, or else
/// all parts.
pub(crate) fn list(context: &PassContext<'_>, id: NodeId) -> Option<Proposal> {
    let items = context.untried(drops(context, id));
    if items.is_empty() {
        return None;
    }
    nested_lists(context, id, &items).or_else(|| with_needs(context, items))
}

/// Returns where a list is hardly more than one part, that part again, and so on for several
/// levels: the part of each level, innermost first. A part that must stay needs all around it, so
/// that the level from which on everything can go is found by halving.
fn nested_lists(context: &PassContext<'_>, id: NodeId, items: &[Item]) -> Option<Proposal> {
    let tree = context.tree;
    let mut nested = vec![heaviest_part(context, id, items)?];
    let mut at = nested[0].0;
    while !tree.is_leaf(at) && !is_atom(context, at) {
        let items = context.untried(drops(context, at));
        if let Some(part) = heaviest_part(context, at, &items) {
            at = part.0;
            nested.push(part);
            continue;
        }
        let heaviest = tree.children(at).max_by_key(|&child| tree.tokens(child));
        match heaviest.filter(|&child| holds_most(context, at, child)) {
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
    Proposal::new(items, Strategy::All).map(|proposal| Proposal { needs, ..proposal })
}

/// Returns the part that makes up most of a list, and the item that drops it.
fn heaviest_part(
    context: &PassContext<'_>,
    list: NodeId,
    items: &[Item],
) -> Option<(NodeId, Item)> {
    let heaviest = items.iter().max_by_key(|item| item.weight)?;
    let (part, _) = heaviest.edits.iter().next()?;
    holds_most(context, list, part).then(|| (part, heaviest.clone()))
}

fn holds_most(context: &PassContext<'_>, outer: NodeId, inner: NodeId) -> bool {
    let tokens = |id| u64::from(context.tree.tokens(id));
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
pub(crate) fn entries(context: &PassContext<'_>) -> Vec<Entry> {
    let tree = context.tree;
    let mut entries: Vec<(u32, bool, NodeId)> = Vec::new();
    for id in context.ids() {
        if !tree.is_leaf(id) && !is_atom(context, id) {
            entries.push((tree.tokens(id), true, id));
        }
        if id != NodeId::ROOT && tree.tokens(id) > 1 && tree.is_named(id) {
            entries.push((tree.tokens(id), false, id));
        }
    }
    entries.sort_unstable_by(|a, b| b.cmp(a));
    entries
        .into_iter()
        .map(|(_, list, id)| if list { Entry::List(id) } else { Entry::Node(id) })
        .collect()
}

/// Items of one list, with what they need of each other.
fn with_needs(context: &PassContext<'_>, items: Vec<Item>) -> Option<Proposal> {
    let needs = needs(context, &items);
    // Without a grammar, items are characters, words and lines: none is known to need others.
    let strategy =
        if context.language.spacing.between_tokens { Strategy::All } else { Strategy::Halves };
    Proposal::new(items, strategy).map(|proposal| Proposal { needs, ..proposal })
}

/// Returns whether a node is one token in spite of having children. Where every byte is in a leaf,
/// characters go one by one.
pub(crate) fn is_atom(context: &PassContext<'_>, id: NodeId) -> bool {
    context.language.spacing.between_tokens && context.tree.tokens(id) <= 1
}

/// Returns the items of a list or node, without what the parts of a list need of each other.
pub(crate) fn items(context: &PassContext<'_>, entry: Entry) -> Vec<Item> {
    match entry {
        Entry::List(id) => drops(context, id),
        Entry::Node(id) => {
            let mut items = least_texts(context, id);
            items.extend(hoists(context, id));
            items.extend(in_place_of_the_first(context, id));
            items
        }
    }
}

/// Returns the ways to replace a node that are tried in the rounds: the least text, and where that
/// does not do, what is left without the least part of it; without a least text, the two smallest
/// nodes from below. The sweep, on a smaller tree, has all.
fn choices(context: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let mut items = Vec::new();
    let mut hoists = hoists(context, id);
    match least_texts(context, id).into_iter().next() {
        Some(least) => {
            items.push(least);
            items.extend(hoists.pop());
        }
        None => items.extend(hoists.into_iter().take(2)),
    }
    items
}

/// Returns the droppable children, later before earlier (uses before definitions).
fn drops(context: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    droppable_children(context.tree, context.language, id)
        .into_iter()
        .rev()
        .filter(|&c| context.tree.is_named(c) || context.tree.tokens(c) > 0)
        .map(|c| Item::new(Edits::drop(c), context.tree.tokens(c)))
        .collect()
}

/// Returns least texts that fit the node's place.
pub(crate) fn least_texts(context: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let tree = context.tree;
    let texts = context.placeholders(id);
    if texts.is_empty() {
        return Vec::new();
    }
    let place = Place::of(context, id);
    let fits = texts.iter().filter(|(text, kind)| {
        kind.is_none_or(|k| place.takes([k])) && **text != *tree.text_of(id)
    });
    // Where readers know the words, what one of them cannot do no other can.
    let most = if context.tokens(id).fixed_words { 1 } else { usize::MAX };
    fits.take(most)
        .map(|(text, kind)| {
            let edits = Edits::one(id, Change::replace_with(text, *kind));
            Item::new(edits, tree.tokens(id).saturating_sub(1))
        })
        .collect()
}

/// Returns smaller nodes and runs of nodes from below that fit the node's place, smallest result
/// first.
pub(crate) fn hoists(context: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let tree = context.tree;
    let own = tree.tokens(id);
    let place = Place::of(context, id);
    let mut found: Vec<(u32, Change)> = Vec::new();
    for run in runs(context, id) {
        let kinds = run.iter().filter(|&&c| !tree.flags(c).extra).map(|&c| tree.kind(c));
        if place.takes(kinds) {
            let tokens = run.iter().map(|&c| tree.tokens(c)).sum();
            found.push((tokens, Change::splice(run)));
        }
    }
    let mut at = NodeId(id.0 + 1);
    let end = tree.subtree_end(id);
    while at < end {
        let mut deeper = true;
        if tree.is_named(at)
            && !tree.flags(at).extra
            && tree.tokens(at) < own
            && place.takes([tree.kind(at)])
        {
            found.push((tree.tokens(at), Change::hoist(at)));
            deeper = own <= DEEP_HOIST;
        }
        for run in runs(context, at) {
            let kinds = run.iter().filter(|&&c| !tree.flags(c).extra).map(|&c| tree.kind(c));
            if place.takes(kinds) {
                let tokens = run.iter().map(|&c| tree.tokens(c)).sum();
                found.push((tokens, Change::splice(run)));
                deeper = own <= DEEP_HOIST;
            }
        }
        at = if deeper { NodeId(at.0 + 1) } else { tree.subtree_end(at) };
    }
    found.sort_by_key(|&(tokens, _)| tokens);
    found
        .into_iter()
        .map(|(tokens, change)| Item::new(Edits::one(id, change), own.saturating_sub(tokens)))
        .collect()
}
