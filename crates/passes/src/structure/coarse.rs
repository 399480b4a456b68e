//! Lists of parts from all over a text, which are tried before one list or node after the other:
//! each has its own order and threshold, and says how it is searched.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{Change, Edits, Kind, NodeId, Role};

use crate::framework::limits::{
    COARSE_SHARE, FEW, HEAVY_SHARE, LONG_CHAIN, NODES_BEFORE_A_WORD, POOLED_PARTS, SHORT_CHAIN,
    SORT_SHARE, SORTS_IN_VAIN,
};
use crate::framework::slots::{Place, inner_children};
use crate::structure::delete_and_hoist::{is_atom, least_texts, list};
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes to drop from the heaviest list with something new to drop, as long as it holds a good
/// part of the text: the coarse cut that comes before everything else.
pub(crate) fn propose_lists(context: &PassContext<'_>) -> Option<Proposal> {
    heavy_lists(context, COARSE_SHARE)
}

/// Does the same for lists that hold most of the text.
pub(crate) fn propose_top(context: &PassContext<'_>) -> Option<Proposal> {
    heavy_lists(context, 2)
}

fn heavy_lists(context: &PassContext<'_>, part: u32) -> Option<Proposal> {
    let tree = context.tree;
    let least = (tree.tokens(NodeId::ROOT) / part).max(2);
    // Only the heavy ones are put in order: a long text has millions of others.
    let is_heavy =
        |&id: &NodeId| !tree.is_leaf(id) && tree.tokens(id) >= least && !is_atom(context, id);
    let mut heavy: Vec<(u32, NodeId)> =
        context.ids().filter(is_heavy).map(|id| (tree.tokens(id), id)).collect();
    heavy.sort_unstable_by(|a, b| b.cmp(a));
    heavy.into_iter().find_map(|(_, id)| list(context, id))
}

/// Proposes every uppermost part that has a least text and was not refused, all over the tree: the
/// bodies of all functions and all initial values at once, then what is inside of those that must
/// stay. In a binary file these are the regions of nothing but bytes: where the records around them
/// must stay, list by list would take a question for each.
pub(crate) fn propose_hollow(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let is_binary = context.language.roles.is_played(Role::Byte);
    let share = if is_binary { 0 } else { tree.tokens(NodeId::ROOT) / COARSE_SHARE };
    let least = share.max(2);
    let mut items = Vec::new();
    let mut at = NodeId(1);
    while at < tree.subtree_end(NodeId::ROOT) {
        let weight = tree.tokens(at);
        let hollow = (weight > 3).then(|| match context.is(Role::Hollow, at) {
            true => least_texts(context, at),
            false => without_bytes(context, at).into_iter().collect(),
        });
        let fresh = hollow.map(|all| context.untried(all)).unwrap_or_default().into_iter().next();
        at = match fresh {
            Some(item) => {
                items.push(item);
                tree.subtree_end(at)
            }
            None if weight < least => tree.subtree_end(at),
            None => NodeId(at.0 + 1),
        };
    }
    items.reverse();
    Proposal::new(items, Strategy::All)
}

/// Returns the item that empties a list of nothing but bytes.
fn without_bytes(context: &PassContext<'_>, id: NodeId) -> Option<Item> {
    let tree = context.tree;
    let can_go = |child| context.is(Role::Byte, child) && context.is_droppable(child);
    let are_bytes = !tree.is_leaf(id) && tree.children(id).all(can_go);
    are_bytes.then(|| Item::new(Edits::drop_all(tree.children(id)), tree.tokens(id)))
}

/// Proposes the levels of a deep nest, outermost first: each node on the way to where most of the
/// text is gives way to the next one on it that fits its place. Where the depth is the failure,
/// halving finds how many levels can go.
pub(crate) fn propose_chains(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let heaviest = |&at: &NodeId| {
        let child = tree.children(at).max_by_key(|&child| tree.tokens(child))?;
        (2 * tree.tokens(child) >= tree.tokens(at)).then_some(child)
    };
    let way = std::iter::successors(Some(NodeId::ROOT), heaviest).skip(1);
    let way: Vec<NodeId> = way.filter(|&at| tree.is_named(at)).collect();
    let level = |(at, &outer): (usize, &NodeId)| {
        let place = Place::of(context, outer);
        let deeper = way[at + 1..].iter().take(LONG_CHAIN);
        let mut smaller = deeper.filter(|&&inner| tree.tokens(inner) < tree.tokens(outer));
        let inner = *smaller.find(|&&inner| place.takes([tree.kind(inner)]))?;
        let weight = tree.tokens(outer) - tree.tokens(inner);
        Some(Item::new(Edits::one(outer, Change::hoist(inner)), weight))
    };
    let is_layered = way.iter().any(|&at| context.is(Role::Layer, at));
    let least = if is_layered { SHORT_CHAIN } else { LONG_CHAIN };
    let levels = context.untried(way.iter().enumerate().filter_map(level).collect());
    if levels.len() < least { None } else { Proposal::new(levels, Strategy::Probe) }
}

/// Proposes parts from all over the text, whatever lists they stand in, as one list: where parts
/// hardly need each other (markup), that finds the few needed ones without a walk down every level.
/// They are the uppermost ones of the role `pool` that are not too heavy, last first, as long as
/// they hold most of the text.
pub(crate) fn propose_pool(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let total = tree.tokens(NodeId::ROOT);
    let mut items = Vec::new();
    let mut weight = 0;
    let mut at = NodeId(1);
    while at < tree.subtree_end(NodeId::ROOT) {
        let light = tree.tokens(at) <= total / HEAVY_SHARE && tree.tokens(at) > 0;
        if light && context.is(Role::Pool, at) && context.is_droppable(at) {
            let item = Item::new(Edits::drop(at), tree.tokens(at));
            if !context.was_refused(&item) {
                weight += tree.tokens(at);
                items.push(item);
            }
            at = tree.subtree_end(at);
        } else {
            at = NodeId(at.0 + 1);
        }
    }
    if items.len() < POOLED_PARTS || weight < total / 2 {
        return None;
    }
    items.reverse();
    Proposal::new(items, Strategy::Halves)
}

/// Proposes nodes of some kinds all over the text, one level of nesting after the other: what lists
/// that look alike can all do without goes in a few questions (HDD, Misherghi & Su, ICSE'06). What
/// must stay of a level is unwrapped where possible: the brackets go, their contents stay. The
/// kinds are those of the roles `layer` (nested) and `loose` (few at a time matter, wherever they
/// stand).
///
/// The list is the uppermost level that has two or more nodes with something new to try, last node
/// first; then what is loose.
pub(crate) fn propose_levels(context: &PassContext<'_>) -> Option<Proposal> {
    if context.is_sweep() {
        return None;
    }
    let layers = by_level(context);
    layers.into_iter().chain([loose(context)]).find_map(|layer| {
        let drop = |&id: &NodeId| Item::new(Edits::drop(id), context.tree.tokens(id));
        let pooled = |items| {
            let items = context.untried(items);
            if items.len() > 1 { Proposal::new(items, Strategy::All) } else { None }
        };
        pooled(layer.iter().rev().map(drop).collect())
            .or_else(|| pooled(layer.iter().rev().filter_map(|&id| unwrap(context, id)).collect()))
    })
}

/// Replaces a node by what it holds.
fn unwrap(context: &PassContext<'_>, id: NodeId) -> Option<Item> {
    let tree = context.tree;
    let inner = inner_children(context, id);
    let kinds = inner.iter().filter(|&&c| !tree.flags(c).extra).map(|&c| tree.kind(c));
    let fits = !inner.is_empty() && Place::of(context, id).takes(kinds);
    let left: u32 = inner.iter().map(|&c| tree.tokens(c)).sum();
    fits.then(|| Item::new(Edits::one(id, Change::splice(inner)), tree.tokens(id) - left))
}

/// Nodes that can be dropped, by how many of their kind they stand in.
fn by_level(context: &PassContext<'_>) -> Vec<Vec<NodeId>> {
    let mut layers: Vec<Vec<NodeId>> = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in context.until(context.playing(Role::Layer)) {
        while open.last().is_some_and(|&end| end <= id) {
            open.pop();
        }
        if layers.len() <= open.len() {
            layers.push(Vec::new());
        }
        if context.is_droppable(id) {
            layers[open.len()].push(id);
        }
        open.push(context.tree.subtree_end(id));
    }
    layers
}

fn loose(context: &PassContext<'_>) -> Vec<NodeId> {
    let all = context.until(context.playing(Role::Loose));
    all.filter(|&id| context.is_droppable(id)).collect()
}

/// What parts of a sort have in common: their kind, and perhaps the first word in them.
type Sort<'a> = (Kind, &'a [u8]);

/// Proposes everything of one sort all over the text, in one question: comments, annotations,
/// assertions, calls that only log, attributes of one name. There may be hundreds, each of them
/// light and in a list of its own, so that list by list each would take a question.
///
/// It is the heaviest sort with enough parts that were not tried. As long as one list holds most
/// of the text, its halves win more than a sort does: then only comments, of which hardly one
/// matters.
///
/// Linear in the nodes, times a logarithm.
pub(crate) fn propose_sort(context: &PassContext<'_>) -> Option<Proposal> {
    let all_count = !is_flat(context);
    let counts = |all: &Vec<NodeId>| all_count || context.tree.flags(all[0]).extra;
    let sorts = sorts(context).into_values().filter(counts);
    let mut sorts: Vec<(u64, Vec<NodeId>)> =
        sorts.filter_map(|all| scattered(context, all)).collect();
    sorts.sort_by(|(a, all), (b, other)| b.cmp(a).then_with(|| all.cmp(other)));
    let mut in_vain = 0;
    for (_, all) in sorts {
        let drop = |&id: &NodeId| Item::new(Edits::drop(id), context.tree.tokens(id));
        let items = context.untried(all.iter().rev().map(drop).collect());
        if items.len() >= FEW {
            return Proposal::new(items, Strategy::Sort);
        }
        in_vain += u32::from(items.is_empty());
        if in_vain == SORTS_IN_VAIN {
            break;
        }
    }
    None
}

/// Returns whether one list holds at least half of the text in parts that are lighter than that.
fn is_flat(context: &PassContext<'_>) -> bool {
    let tree = context.tree;
    let half = tree.tokens(NodeId::ROOT) / 2;
    let mut at = NodeId::ROOT;
    while let Some(heavy) = tree.children(at).find(|&child| tree.tokens(child) > half) {
        at = heavy;
    }
    tree.children(at).filter(|&child| context.is_droppable(child)).nth(FEW).is_some()
}

/// Returns the parts of each sort that can go, in document order.
fn sorts<'a>(context: &PassContext<'a>) -> BTreeMap<Sort<'a>, Vec<NodeId>> {
    let tree = context.tree;
    let mut sorts: BTreeMap<Sort<'a>, Vec<NodeId>> = BTreeMap::new();
    for id in context.ids().skip(1) {
        let says_something = tree.tokens(id) > 0 || tree.flags(id).extra;
        if !tree.is_named(id) || !says_something || !context.is_droppable(id) {
            continue;
        }
        sorts.entry((tree.kind(id), b"")).or_default().push(id);
        if let Some(word) = first_word(context, id) {
            sorts.entry((tree.kind(id), word)).or_default().push(id);
        }
    }
    sorts
}

/// Returns the first word in a part, unless it is the whole part.
fn first_word<'a>(context: &PassContext<'a>, id: NodeId) -> Option<&'a [u8]> {
    let tree = context.tree;
    let leaves =
        tree.subtree(id).skip(1).take(NODES_BEFORE_A_WORD).filter(|&leaf| tree.is_leaf(leaf));
    let is_word =
        |text: &&[u8]| text.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_');
    leaves.map(|leaf| tree.text_of(leaf)).find(is_word)
}

/// Returns what the uppermost parts of a sort weigh together, and these parts, if they are heavy
/// and stand in many lists, none of which holds most of them. Comments have no tokens: their bytes
/// count, and hardly one matters, wherever they stand.
fn scattered(context: &PassContext<'_>, all: Vec<NodeId>) -> Option<(u64, Vec<NodeId>)> {
    let tree = context.tree;
    let mut end = NodeId(0);
    let mut upper = all;
    upper.retain(|&id| {
        let is_upper = id >= end;
        end = end.max(tree.subtree_end(id));
        is_upper
    });
    let is_extra = tree.flags(*upper.first()?).extra;
    let weigh = |id| match is_extra {
        true => tree.span(id).len() as u64,
        false => tree.tokens(id).into(),
    };
    let weight: u64 = upper.iter().map(|&id| weigh(id)).sum();
    let is_heavy = weight * u64::from(SORT_SHARE) >= weigh(NodeId::ROOT);
    let lists: BTreeSet<_> = upper.iter().map(|&id| tree.parent(id)).collect();
    let is_scattered = lists.len() >= FEW && 2 * lists.len() >= upper.len();
    (is_heavy && (is_extra || is_scattered)).then_some((weight, upper))
}
