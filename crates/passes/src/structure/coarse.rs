//! Lists of parts from all over a text, which are tried before one list or node after the other:
//! each has its own order and threshold, and says how it is searched.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{Change, Kind, NodeId, Role};

use crate::framework::limits::{
    COARSE_SHARE, FEW, HEAVY_SHARE, LONG_CHAIN, NODES_BEFORE_A_WORD, POOLED_PARTS, SHORT_CHAIN,
    SORT_SHARE, SORTS_IN_VAIN,
};
use crate::framework::slots::{Place, inner_children};
use crate::structure::delete_and_hoist::{is_atom, least_texts, list};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes to drop from the heaviest list with something new to drop, as long as it holds one in
/// `share` tokens of the text: the coarse cut that comes before everything else.
pub(crate) fn lists(cx: &PassContext<'_>, share: u32) -> Option<Proposal> {
    let least = (cx.tokens(NodeId::ROOT) / share).max(2);
    // Only the heavy ones are put in order: a long text has millions of others.
    let is_heavy = |&id: &NodeId| !cx.is_leaf(id) && cx.tokens(id) >= least && !is_atom(cx, id);
    let mut heavy: Vec<NodeId> = cx.ids().filter(is_heavy).collect();
    heavy.sort_unstable_by_key(|&id| Reverse((cx.tokens(id), id)));
    heavy.into_iter().find_map(|id| list(cx, id))
}

/// Proposes every uppermost part that has a least text and was not refused, all over the tree: the
/// bodies of all functions and all initial values at once, then what is inside of those that must
/// stay. In a binary file these are the regions of nothing but bytes: where the records around them
/// must stay, list by list would take a question for each.
pub(crate) fn hollow(cx: &PassContext<'_>) -> Option<Proposal> {
    let is_binary = cx.language.roles.is_played(Role::Byte);
    let share = if is_binary { 0 } else { cx.tokens(NodeId::ROOT) / COARSE_SHARE };
    let is_byte = |child| cx.is(Role::Byte, child) && cx.is_droppable(child);
    let items = uppermost(cx, |at| {
        let weight = cx.tokens(at);
        let hollow = match cx.is(Role::Hollow, at) {
            _ if weight <= 3 => Vec::new(),
            true => least_texts(cx, at),
            false if cx.is_leaf(at) || !cx.children(at).all(is_byte) => Vec::new(),
            false => vec![Item { weight, ..cx.drop_all(cx.children(at)) }],
        };
        let found = cx.untried(hollow).into_iter().next();
        (found.is_some() || weight < share.max(2)).then_some(found)
    });
    Proposal::new(items, Plan::ALL)
}

/// Returns what is found from the root downwards, the last first: below where something, or nothing
/// for good, is found, nothing is looked for.
fn uppermost(cx: &PassContext<'_>, find: impl Fn(NodeId) -> Option<Option<Item>>) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = NodeId(1);
    while at < cx.subtree_end(NodeId::ROOT) {
        let found = find(at);
        at = if found.is_some() { cx.subtree_end(at) } else { NodeId(at.0 + 1) };
        items.extend(found.flatten());
    }
    items.reverse();
    items
}

/// Proposes the levels of a deep nest. Where the depth is the failure, halving finds how many can
/// go.
pub(crate) fn chains(cx: &PassContext<'_>) -> Option<Proposal> {
    let levels = chain(cx, NodeId::ROOT);
    let is_layer = |item: &Item| item.edits.iter().any(|(id, _)| cx.is(Role::Layer, id));
    let least = if levels.iter().any(is_layer) { SHORT_CHAIN } else { LONG_CHAIN };
    (levels.len() >= least).then(|| Proposal::of(levels, Plan::PROBE))
}

/// Returns the levels of a nest that begins in a node, outermost first: each node on the way along
/// the heaviest children gives way to the next one on it that fits its place. Linear in the
/// children of the nodes on the way.
pub(crate) fn chain(cx: &PassContext<'_>, start: NodeId) -> Vec<Item> {
    let heaviest = |&at: &NodeId| {
        let child = cx.children(at).max_by_key(|&child| cx.tokens(child))?;
        (2 * cx.tokens(child) >= cx.tokens(at)).then_some(child)
    };
    let way = std::iter::successors(Some(start), heaviest).filter(|&at| at != NodeId::ROOT);
    let way: Vec<NodeId> = way.filter(|&at| cx.is_named(at)).collect();
    let level = |(at, &outer): (usize, &NodeId)| {
        let place = Place::of(cx, outer);
        let deeper = way[at + 1..].iter().take(LONG_CHAIN);
        let mut smaller = deeper.filter(|&&inner| cx.tokens(inner) < cx.tokens(outer));
        let inner = *smaller.find(|&&inner| place.takes([cx.kind(inner)]))?;
        Some(Item::one(outer, Change::hoist(inner), cx.tokens(outer) - cx.tokens(inner)))
    };
    cx.untried(way.iter().enumerate().filter_map(level))
}

/// Proposes parts from all over the text, whatever lists they stand in, as one list: where parts
/// hardly need each other (markup), that finds the few needed ones without a walk down every level.
/// They are the uppermost ones of the role `pool` that are not too heavy, last first, as long as
/// they hold most of the text.
pub(crate) fn pool(cx: &PassContext<'_>) -> Option<Proposal> {
    let total = cx.tokens(NodeId::ROOT);
    let items = uppermost(cx, |at| {
        let is_light = (1..=total / HEAVY_SHARE).contains(&cx.tokens(at));
        let is_one = is_light && cx.is(Role::Pool, at) && cx.is_droppable(at);
        is_one.then(|| Some(cx.drop(at)).filter(|item| !cx.was_refused(item)))
    });
    let weight: u32 = items.iter().map(|item| item.weight).sum();
    let is_much = items.len() >= POOLED_PARTS && weight >= total / 2;
    Proposal::new(items, Plan::HALVES).filter(|_| is_much)
}

/// Proposes nodes of some kinds all over the text, one level of nesting after the other: what lists
/// that look alike can all do without goes in a few questions (HDD, Misherghi & Su, ICSE'06). What
/// must stay of a level is unwrapped where possible: the brackets go, their contents stay. The
/// kinds are those of the roles `layer` (nested) and `loose` (few at a time matter, wherever they
/// stand).
///
/// The list is the uppermost level that has two or more nodes with something new to try, last node
/// first; then what is loose.
pub(crate) fn levels(cx: &PassContext<'_>) -> Option<Proposal> {
    if cx.is_sweep() {
        return None;
    }
    // By how many of their kind they stand in.
    let mut levels: Vec<Vec<NodeId>> = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in cx.until(cx.playing(Role::Layer)) {
        while open.pop_if(|end| *end <= id).is_some() {}
        levels.resize(levels.len().max(open.len() + 1), Vec::new());
        levels[open.len()].push(id);
        open.push(cx.subtree_end(id));
    }
    levels.push(cx.until(cx.playing(Role::Loose)).collect());
    levels.into_iter().find_map(|mut level| {
        level.retain(|&id| cx.is_droppable(id));
        level.reverse();
        let pooled = |items: Vec<Item>| {
            let items = cx.untried(items);
            (items.len() > 1).then(|| Proposal::of(items, Plan::ALL))
        };
        pooled(level.iter().map(|&id| cx.drop(id)).collect())
            .or_else(|| pooled(level.iter().filter_map(|&id| unwrap(cx, id)).collect()))
    })
}

/// Replaces a node by what it holds.
fn unwrap(cx: &PassContext<'_>, id: NodeId) -> Option<Item> {
    let inner = inner_children(cx, id);
    let fits = !inner.is_empty() && Place::of(cx, id).takes(cx.kinds_of(&inner));
    let left: u32 = inner.iter().map(|&c| cx.tokens(c)).sum();
    fits.then(|| Item::one(id, Change::splice(inner), cx.tokens(id) - left))
}

/// Proposes everything of one sort all over the text, in one question: comments, annotations,
/// assertions, calls that only log, attributes of one name. There may be hundreds, each of them
/// light and in a list of its own, so that list by list each would take a question.
///
/// It is the heaviest sort with enough parts that were not tried. As long as one list holds most
/// of the text, its halves win more than a sort does: then only comments, of which hardly one
/// matters.
///
/// Linear in the nodes, times a logarithm.
pub(crate) fn sort(cx: &PassContext<'_>) -> Option<Proposal> {
    let all_count = !is_flat(cx);
    let counts = |all: &Vec<NodeId>| all_count || cx.flags(all[0]).extra;
    let sorts = sorts(cx).into_values().filter(counts);
    let mut sorts: Vec<_> = sorts.filter_map(|all| scattered(cx, all)).collect();
    sorts.sort_by(|(a, all), (b, other)| b.cmp(a).then_with(|| all.cmp(other)));
    let mut in_vain = 0;
    for (_, all) in sorts {
        let items = cx.untried(all.iter().rev().map(|&id| cx.drop(id)));
        in_vain += u32::from(items.is_empty());
        if items.len() >= FEW {
            return Proposal::new(items, Plan::SORT);
        } else if in_vain == SORTS_IN_VAIN {
            break;
        }
    }
    None
}

/// Returns whether one list holds at least half of the text in parts that are lighter than that.
fn is_flat(cx: &PassContext<'_>) -> bool {
    let half = cx.tokens(NodeId::ROOT) / 2;
    let heavy = |&at: &NodeId| cx.children(at).find(|&child| cx.tokens(child) > half);
    let list = std::iter::successors(Some(NodeId::ROOT), heavy).last().unwrap_or(NodeId::ROOT);
    cx.children(list).filter(|&child| cx.is_droppable(child)).nth(FEW).is_some()
}

/// Returns the parts of each sort that can go, in document order: of one kind, and perhaps with one
/// first word.
fn sorts<'a>(cx: &PassContext<'a>) -> BTreeMap<(Kind, &'a [u8]), Vec<NodeId>> {
    let mut sorts: BTreeMap<(Kind, &'a [u8]), Vec<NodeId>> = BTreeMap::new();
    for id in cx.ids().skip(1) {
        let says_something = cx.tokens(id) > 0 || cx.flags(id).extra;
        if !cx.is_named(id) || !says_something || !cx.is_droppable(id) {
            continue;
        }
        // The whole part is no word in it.
        let nodes = cx.subtree(id).skip(1).take(NODES_BEFORE_A_WORD);
        let mut texts = nodes.filter(|&leaf| cx.is_leaf(leaf)).map(|leaf| cx.text_of(leaf));
        let starts = |&byte: &u8| byte.is_ascii_alphabetic() || byte == b'_';
        let word = texts.find(|text| text.first().is_some_and(starts));
        for word in [Some(&b""[..]), word].into_iter().flatten() {
            sorts.entry((cx.kind(id), word)).or_default().push(id);
        }
    }
    sorts
}

/// Returns what the uppermost parts of a sort weigh together, and these parts, if they are heavy
/// and stand in many lists, none of which holds most of them. Comments have no tokens: their bytes
/// count, and hardly one matters, wherever they stand.
fn scattered(cx: &PassContext<'_>, all: Vec<NodeId>) -> Option<(u64, Vec<NodeId>)> {
    let upper: Vec<NodeId> = cx.outermost(all).collect();
    let is_extra = cx.flags(*upper.first()?).extra;
    let weigh = |id| match is_extra {
        true => cx.span(id).len() as u64,
        false => cx.tokens(id).into(),
    };
    let weight: u64 = upper.iter().map(|&id| weigh(id)).sum();
    let is_heavy = weight * u64::from(SORT_SHARE) >= weigh(NodeId::ROOT);
    let lists: BTreeSet<_> = upper.iter().map(|&id| cx.parent(id)).collect();
    let is_scattered = lists.len() >= FEW && 2 * lists.len() >= upper.len();
    (is_heavy && (is_extra || is_scattered)).then_some((weight, upper))
}
