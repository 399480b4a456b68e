//! Drops list elements and optional children, heaviest list first; puts smaller nodes or the least
//! text in the place of what cannot go.
//!
//! A queue of lists and nodes by their own weight (Perses, ICSE'18; PARDIS, FASE'19), as a pure
//! function: the heaviest entry with an item that was not refused is proposed.

use minirepro_syntax::{Change, Edits, NodeId, droppable_children};

use crate::needs::needs;
use crate::places::{Place, runs};
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "structure";

/// Nodes with more tokens are only replaced by the uppermost fitting nodes on each way down.
const DEEP_HOIST: u32 = 40;

/// The heaviest list or node with something new to try.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    if input.is_sweep() {
        let items = entries(input).into_iter().flat_map(|e| items(input, e)).collect();
        return Proposal::new(items, Strategy::Single);
    }
    for entry in entries(input) {
        let items = match entry {
            Entry::List(id) => drops(input, id),
            Entry::Node(id) => choices(input, id),
        };
        let items = input.fresh(items);
        let proposal = match entry {
            Entry::List(_) => with_needs(input, items),
            Entry::Node(_) => Proposal::new(items, Strategy::Single),
        };
        if proposal.is_some() {
            return proposal;
        }
    }
    None
}

/// The heaviest list with something new to drop, as long as it holds a good part of the text: the
/// coarse cut that comes before everything else.
pub(crate) fn propose_lists(input: &Input<'_>) -> Option<Proposal> {
    heavy_lists(input, LIGHT)
}

/// The same for lists that hold most of the text.
pub(crate) fn propose_top(input: &Input<'_>) -> Option<Proposal> {
    heavy_lists(input, 2)
}

/// Every uppermost part that has a least text and was not refused, all over the tree: the bodies of
/// all functions and all initial values at once, then what is inside of those that must stay.
pub(crate) fn propose_hollow(input: &Input<'_>) -> Option<Proposal> {
    if input.is_sweep() {
        return None;
    }
    let tree = input.tree;
    let least = (tree.tokens(NodeId::ROOT) / LIGHT).max(2);
    let mut items = Vec::new();
    let mut at = NodeId(1);
    while at < tree.subtree_end(NodeId::ROOT) {
        let weight = tree.tokens(at);
        let hollow = (input.is("hollow", at) && weight > 3).then(|| least_texts(input, at));
        let fresh = hollow.map(|all| input.fresh(all)).unwrap_or_default().into_iter().next();
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

/// The end, the middle and so on of a chain of nodes that can be nested in each other (the role
/// `layer`), in the place of its beginning.
pub(crate) fn propose_chains(input: &Input<'_>) -> Option<Proposal> {
    if input.is_sweep() {
        return None;
    }
    let links = input.tree.ids().filter(|&id| input.is("layer", id));
    let mut chains = links.map(|id| input.fresh(chain(input, id, SHORT_CHAIN)));
    chains.find_map(|items| Proposal::new(items, Strategy::Single))
}

fn heavy_lists(input: &Input<'_>, part: u32) -> Option<Proposal> {
    if input.is_sweep() {
        return None;
    }
    let total = input.tree.tokens(NodeId::ROOT);
    entries(input)
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::List(id) => Some(id),
            Entry::Node(_) => None,
        })
        .take_while(|&id| input.tree.tokens(id) >= (total / part).max(2))
        .find_map(|id| with_needs(input, input.fresh(drops(input, id))))
}

/// What holds less than this part of all tokens is no coarse cut.
const LIGHT: u32 = 16;

/// Where something can be tried.
#[derive(Clone, Copy)]
pub(crate) enum Entry {
    /// The children of a node.
    List(NodeId),
    /// A node that may be replaced.
    Node(NodeId),
}

/// All entries, heaviest first; of equal weight, lists before nodes, later before earlier.
pub(crate) fn entries(input: &Input<'_>) -> Vec<Entry> {
    let tree = input.tree;
    let mut entries: Vec<(u32, bool, NodeId)> = Vec::new();
    for id in tree.ids() {
        if !tree.is_leaf(id) && !is_atom(input, id) {
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
fn with_needs(input: &Input<'_>, items: Vec<Item>) -> Option<Proposal> {
    let needs = needs(input, &items);
    // Without a grammar, items are characters, words and lines: none is known to need others.
    let strategy = if input.language.style.gaps { Strategy::All } else { Strategy::Halves };
    Proposal::new(items, strategy).map(|proposal| Proposal { needs, ..proposal })
}

/// A node that is one token in spite of having children. Where every byte is in a leaf, characters
/// go one by one.
pub(crate) fn is_atom(input: &Input<'_>, id: NodeId) -> bool {
    input.language.style.gaps && input.tree.tokens(id) <= 1
}

/// What can be tried there, without what the parts of a list need of each other.
pub(crate) fn items(input: &Input<'_>, entry: Entry) -> Vec<Item> {
    match entry {
        Entry::List(id) => drops(input, id),
        Entry::Node(id) => {
            let mut items = least_texts(input, id);
            items.extend(hoists(input, id));
            items
        }
    }
}

/// The ways to replace a node that are tried in the rounds: the least text, and where that does not do,
/// what is left without the least part of it; without a least text, the two smallest nodes from below.
/// The sweep, on a smaller tree, has all.
fn choices(input: &Input<'_>, id: NodeId) -> Vec<Item> {
    let mut items = chain(input, id, LONG_CHAIN);
    let mut hoists = hoists(input, id);
    match least_texts(input, id).into_iter().next() {
        Some(least) => {
            items.push(least);
            items.extend(hoists.pop());
        }
        None => items.extend(hoists.into_iter().take(2)),
    }
    items
}

/// The droppable children, later before earlier (uses before definitions).
pub(crate) fn drops(input: &Input<'_>, id: NodeId) -> Vec<Item> {
    droppable_children(input.tree, input.language, id)
        .into_iter()
        .rev()
        .filter(|&c| input.tree.is_named(c) || input.tree.tokens(c) > 0)
        .map(|c| Item::new(Edits::drop(c), input.tree.tokens(c)))
        .collect()
}

/// Least texts that fit the node's place.
pub(crate) fn least_texts(input: &Input<'_>, id: NodeId) -> Vec<Item> {
    let tree = input.tree;
    let Some(texts) = input.language.roles.least.get(&tree.kind(id)) else { return Vec::new() };
    let place = Place::of(tree, input.language, id);
    let fits = texts.iter().filter(|(text, kind)| {
        kind.is_none_or(|k| place.takes([k])) && **text != *tree.text_of(id)
    });
    fits.map(|(text, kind)| {
        let edits = Edits::one(id, Change::put(text, *kind));
        Item::new(edits, tree.tokens(id).saturating_sub(1))
    })
    .collect()
}

/// Where a node holds most of the text and is a long chain of nodes that would all fit its place
/// (brackets in brackets): the end of the chain, its middle, its quarter and so on.
fn chain(input: &Input<'_>, id: NodeId, least: usize) -> Vec<Item> {
    let tree = input.tree;
    if tree.tokens(id) < tree.tokens(NodeId::ROOT) / 2 {
        return Vec::new();
    }
    let place = Place::of(tree, input.language, id);
    let heaviest = |&at: &NodeId| tree.children(at).max_by_key(|&c| tree.tokens(c));
    let links: Vec<NodeId> = std::iter::successors(heaviest(&id), heaviest)
        .filter(|&at| tree.is_named(at) && place.takes([tree.kind(at)]))
        .collect();
    if links.len() < least {
        return Vec::new();
    }
    let parts = std::iter::successors(Some(links.len()), |&n| (n > 2).then_some(n / 2));
    parts
        .map(|n| {
            let weight = tree.tokens(id) - tree.tokens(links[n - 1]);
            Item::new(Edits::one(id, Change::hoist(links[n - 1])), weight)
        })
        .collect()
}

/// Shorter chains are hoisted link by link.
const LONG_CHAIN: usize = 16;

/// The same where the links are there to be nested.
const SHORT_CHAIN: usize = 3;

/// Smaller nodes and runs of nodes from below that fit the node's place, smallest result first.
fn hoists(input: &Input<'_>, id: NodeId) -> Vec<Item> {
    let tree = input.tree;
    let own = tree.tokens(id);
    let place = Place::of(tree, input.language, id);
    let mut found: Vec<(u32, Change)> = Vec::new();
    for run in runs(input, id) {
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
        for run in runs(input, at) {
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
