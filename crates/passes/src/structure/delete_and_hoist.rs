//! Drops list elements and optional children, heaviest list first; puts smaller nodes or the least
//! text in place of what cannot go.
//!
//! A queue of lists and nodes by their own weight (Perses, ICSE'18; PARDIS, FASE'19), as a pure
//! function: the heaviest entry with an item that was not refused is proposed.

use std::cmp::Reverse;
use std::collections::HashMap;

use minirepro_syntax::{Change, Edits, NodeId, Placeholder, Role, droppable_children};

use crate::framework::limits::{CLAUSES, DEEP_HOIST, FEW};
use crate::framework::slots::{Place, fitting, runs};
use crate::structure::coarse::chain;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes edits of the heaviest list or node with something new to try.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mut entries = entries(cx).into_iter();
    if cx.is_sweep() {
        let items = entries.flat_map(|Entry { is_list, id, .. }| match is_list {
            true => drops(cx, id),
            false => [least_texts(cx, id), hoists(cx, id), clauses(cx, id)].concat(),
        });
        return Proposal::new(items.collect(), Plan::EACH);
    }
    entries.find_map(|Entry { is_list, id, .. }| match is_list {
        true => list(cx, id),
        false => node(cx, id),
    })
}

/// Proposes smaller texts in place of a node, one by one. Where a long nest begins in it, only its
/// least text, and after that halves of the levels of the nest.
fn node(cx: &PassContext<'_>, id: NodeId) -> Option<Proposal> {
    let choices = cx.untried(choices(cx, id));
    let levels = if choices.is_empty() { Vec::new() } else { chain(cx, id) };
    if levels.len() < FEW {
        return Proposal::new(choices, Plan::EACH);
    }
    cx.proposal(least_texts(cx, id).into_iter().take(1), Plan::EACH)
        .or_else(|| Proposal::new(levels, Plan::HALVES))
}

/// Returns what can be dropped of a list: of lists that lie in each other one part of each, or else
/// all parts, with what they need of each other.
pub(crate) fn list(cx: &PassContext<'_>, id: NodeId) -> Option<Proposal> {
    let items = cx.untried(drops(cx, id));
    nested_lists(cx, id, &items).or_else(|| {
        let needs = [needs(cx, &items), Vec::new(), Vec::new()];
        // Without a grammar, items are characters, words and lines: none is known to need others.
        let plan = if cx.language.spacing.between_tokens { Plan::ALL } else { Plan::HALVES };
        Some(Proposal { needs, ..Proposal::new(items, plan)? })
    })
}

/// Returns where a list is hardly more than one part, that part again, and so on for several
/// levels: the part of each level, innermost first. A part that must stay needs all around it, so
/// that the level from which on everything can go is found by halving.
fn nested_lists(cx: &PassContext<'_>, id: NodeId, items: &[Item]) -> Option<Proposal> {
    let mut nested = vec![heaviest_part(cx, id, items)?];
    let mut at = nested[0].0;
    while !cx.is_leaf(at) && !is_atom(cx, at) {
        let part = heaviest_part(cx, at, &cx.untried(drops(cx, at)));
        let heaviest = cx.children(at).max_by_key(|&child| cx.tokens(child));
        let child = heaviest.filter(|&child| holds_most(cx, at, child));
        let Some(next) = part.as_ref().map(|(id, _)| *id).or(child) else { break };
        at = next;
        nested.extend(part);
    }
    let around = (1..).zip(&nested[1..]).map(|(around, _)| vec![around]);
    let needs = [around.chain([Vec::new()]).collect(), Vec::new(), Vec::new()];
    let items: Vec<Item> = nested.into_iter().rev().map(|(_, item)| item).collect();
    (items.len() >= FEW).then(|| Proposal { needs, ..Proposal::of(items, Plan::ALL) })
}

/// Returns the part that makes up most of a list, and the item that drops it.
fn heaviest_part(cx: &PassContext<'_>, list: NodeId, items: &[Item]) -> Option<(NodeId, Item)> {
    let heaviest = items.iter().max_by_key(|item| item.weight)?;
    let (part, _) = heaviest.edits.iter().next()?;
    holds_most(cx, list, part).then(|| (part, heaviest.clone()))
}

fn holds_most(cx: &PassContext<'_>, outer: NodeId, inner: NodeId) -> bool {
    4 * u64::from(cx.tokens(inner)) >= 3 * u64::from(cx.tokens(outer))
}

/// Returns for each item the items that declare a name which it mentions. A name is declared where
/// it stands first in the text, unless that is inside of a local scope.
fn needs(cx: &PassContext<'_>, items: &[Item]) -> Vec<Vec<u32>> {
    let names = |item: &Item| -> Vec<NodeId> {
        item.edits.iter().flat_map(|(id, _)| cx.names_in(id)).collect()
    };
    let mut declares: HashMap<&[u8], u32> = HashMap::new();
    for (number, item) in (0..).zip(items) {
        let is_declared = |&name: &NodeId| {
            let mut around = cx.ancestors(name).take_while(|&id| item.edits.get(id).is_none());
            cx.mentions(name).first() == Some(&name) && !around.any(|id| cx.is(Role::Scope, id))
        };
        let declared = names(item).into_iter().filter(is_declared);
        declares.extend(declared.map(|name| (cx.text_of(name), number)));
    }
    if declares.is_empty() {
        return Vec::new();
    }
    let needed = |(number, item): (u32, &Item)| {
        let names = names(item).into_iter();
        let all = names.filter_map(|name| declares.get(cx.text_of(name)).copied());
        let mut needed: Vec<u32> = all.filter(|&other| other != number).collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    };
    (0..).zip(items).map(needed).collect()
}

/// Where something can be tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    tokens: u32,
    /// Whether the children of the node may go, or else the node be replaced.
    is_list: bool,
    id: NodeId,
}

/// Returns all entries, heaviest first; of equal weight, lists before nodes, later before earlier.
fn entries(cx: &PassContext<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for id in cx.ids() {
        let tokens = cx.tokens(id);
        let is_list = !cx.is_leaf(id) && !is_atom(cx, id);
        let is_node = id != NodeId::ROOT && cx.is_named(id) && !is_word(cx, id);
        entries.extend(is_list.then_some(Entry { tokens, is_list: true, id }));
        entries.extend(is_node.then_some(Entry { tokens, is_list: false, id }));
    }
    entries.sort_unstable_by_key(|&entry| Reverse(entry));
    entries
}

/// Returns whether a node is one token in spite of having children. Where every byte is in a leaf,
/// characters go one by one.
pub(crate) fn is_atom(cx: &PassContext<'_>, id: NodeId) -> bool {
    cx.language.spacing.between_tokens && cx.tokens(id) <= 1
}

/// Returns whether a node is one token, or in text without a grammar all between two blanks.
pub(crate) fn is_word(cx: &PassContext<'_>, id: NodeId) -> bool {
    let is_whole = |text: &[u8]| !text.trim_ascii_end().iter().any(u8::is_ascii_whitespace);
    cx.tokens(id) <= 1 || cx.signs(id).spaced_words && is_whole(cx.text_of(id))
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
    let children = droppable_children(cx.tree, cx.language, id).into_iter().rev();
    children.filter(|&c| cx.is_named(c) || cx.tokens(c) > 0).map(|c| cx.drop(c)).collect()
}

/// Returns least texts that fit the node's place.
pub(crate) fn least_texts(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let new = fitting(cx, id, cx.placeholders(id)).filter(|(text, _)| **text != *cx.text_of(id));
    // Where readers know the words, what one of them cannot do no other can.
    let most = if cx.signs(id).fixed_words { 1 } else { usize::MAX };
    let weight = cx.tokens(id).saturating_sub(1);
    let item =
        |(text, kind): &Placeholder| Item::one(id, Change::replace_with(text, *kind), weight);
    new.take(most).map(item).collect()
}

/// Returns smaller nodes and runs of nodes from below that fit the node's place, smallest result
/// first.
fn hoists(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
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
            if place.takes(cx.kinds_of(&run)) {
                found.push((run.iter().map(|&c| cx.tokens(c)).sum(), Change::splice(run)));
            }
        }
        let deeper = at == id || found.len() == before || own <= DEEP_HOIST;
        at = if deeper { NodeId(at.0 + 1) } else { cx.subtree_end(at) };
    }
    found.sort_by_key(|&(tokens, _)| tokens);
    let item = |(tokens, change)| Item::one(id, change, own.saturating_sub(tokens));
    found.into_iter().map(item).collect()
}

/// Returns for each clause of a statement that can take the place of what stands before it (`elif
/// b: y` in `if a: x elif b: y` leaves `if b: y`) the edit that leaves the node's first word and
/// goes on after that of the clause. Quadratic in the children that the grammar tells apart, so
/// that long lists are left to other edits.
fn clauses(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let children: Vec<NodeId> = cx.children(id).collect();
    let is_word = |id: NodeId| {
        let letter = cx.text_of(id).first().filter(|byte| byte.is_ascii_alphabetic());
        cx.is_leaf(id) && !cx.is_named(id) && letter.is_some()
    };
    let Some(automaton) = cx.language.facts.automaton(cx.kind(id)) else { return Vec::new() };
    if children.len() > CLAUSES || !children.first().is_some_and(|&first| is_word(first)) {
        return Vec::new();
    }
    let clause = |at: usize| {
        let clause = children[at];
        let inner: Vec<NodeId> = cx.children(clause).collect();
        let (&word, behind) = inner.split_first().filter(|(word, _)| is_word(**word))?;
        let left = [&children[..1], behind, &children[at + 1..]].concat();
        if behind.is_empty() || !automaton.accepts(cx.kinds_of(&left)) {
            return None;
        }
        // Part by part, so that each stands where the one before it stood, on a line of its own or
        // not.
        let (places, places_left) = children[1..at].split_at(behind.len().min(at - 1));
        let (parts, parts_left) = behind.split_at(places.len());
        let mut edits = Edits::drop_all(places_left.iter().copied());
        let mut fits = edits.add(clause, Change::splice(parts_left.iter().copied()));
        for (&place, &part) in places.iter().zip(parts) {
            let is_same = cx.text_of(place) == cx.text_of(part);
            fits &= is_same || edits.add(place, Change::hoist(part));
        }
        let gone = children[1..at].iter().map(|&c| cx.tokens(c)).sum::<u32>() + cx.tokens(word);
        fits.then(|| Item::new(edits, gone))
    };
    (2..children.len()).filter_map(clause).collect()
}
