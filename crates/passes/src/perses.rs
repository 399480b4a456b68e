//! Syntax-guided reduction as published, to compare with: Perses (Sun et al., ICSE'18).
//!
//! A queue of nodes by their weight: of a list the elements go (by the search), another node gives
//! way to a smaller one from below that fits its place. A pipeline of its own; knows nothing of the
//! other passes.

use std::collections::VecDeque;

use minirepro_syntax::{Change, Edits, NodeId};

use crate::places::Place;
use crate::structure::{drops, is_atom};
use crate::{Input, Item, Proposal, Strategy};

/// How far below a node its replacements are looked for (the paper's bound).
const DEPTH: usize = 4;

/// The heaviest node with something new to try.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let tree = input.tree;
    let mut queue: Vec<NodeId> =
        tree.ids().filter(|&id| !tree.is_leaf(id) && !is_atom(input, id)).collect();
    queue.sort_by_key(|&id| std::cmp::Reverse(tree.tokens(id)));
    if input.is_sweep() {
        let all = queue
            .into_iter()
            .flat_map(|id| drops(input, id).into_iter().chain(replacements(input, id)));
        return Proposal::new(all.collect(), Strategy::Single);
    }
    queue.into_iter().find_map(|id| {
        Proposal::new(input.fresh(drops(input, id)), Strategy::All)
            .or_else(|| Proposal::new(input.fresh(replacements(input, id)), Strategy::Single))
    })
}

/// On every way down the first node that fits, breadth first, smallest first.
fn replacements(input: &Input<'_>, id: NodeId) -> Vec<Item> {
    let tree = input.tree;
    if id == NodeId::ROOT {
        return Vec::new();
    }
    let place = Place::of(tree, input.language, id);
    let mut found = Vec::new();
    let mut queue: VecDeque<(NodeId, usize)> = tree.children(id).map(|c| (c, 1)).collect();
    while let Some((at, depth)) = queue.pop_front() {
        if tree.is_named(at) && !tree.flags(at).extra && place.takes([tree.kind(at)]) {
            found.push(at);
        } else if depth < DEPTH {
            queue.extend(tree.children(at).map(|c| (c, depth + 1)));
        }
    }
    found.sort_by_key(|&at| tree.tokens(at));
    let hoist = |at: NodeId| {
        let weight = tree.tokens(id).saturating_sub(tree.tokens(at));
        Item::new(Edits::one(id, Change::hoist(at)), weight)
    };
    found.into_iter().map(hoist).collect()
}
