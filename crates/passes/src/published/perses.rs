//! Syntax-guided reduction as published, to compare with: Perses (Sun et al., ICSE'18).
//!
//! A queue of nodes by their weight: of a list the elements go (by the search), another node gives
//! way to a smaller one from below that fits its place. A pipeline of its own, independent of the
//! other passes.

use std::collections::VecDeque;

use minirepro_syntax::{Change, Edits, NodeId};

use crate::framework::slots::Place;
use crate::structure::delete_and_hoist::{drops, is_atom};
use crate::{Item, PassContext, Proposal, Strategy};

/// How far below a node its replacements are looked for (the paper's bound).
const DEPTH: usize = 4;

/// Proposes edits of the heaviest node with something new to try.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let mut queue: Vec<NodeId> =
        context.ids().filter(|&id| !tree.is_leaf(id) && !is_atom(context, id)).collect();
    queue.sort_by_key(|&id| std::cmp::Reverse(tree.tokens(id)));
    if context.is_sweep() {
        let all = queue
            .into_iter()
            .flat_map(|id| drops(context, id).into_iter().chain(replacements(context, id)));
        return Proposal::new(all.collect(), Strategy::Single);
    }
    queue.into_iter().find_map(|id| {
        Proposal::new(context.untried(drops(context, id)), Strategy::All)
            .or_else(|| Proposal::new(context.untried(replacements(context, id)), Strategy::Single))
    })
}

/// Returns on every way down the first node that fits, breadth first, smallest first.
fn replacements(context: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let tree = context.tree;
    if id == NodeId::ROOT {
        return Vec::new();
    }
    let place = Place::of(context, id);
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
