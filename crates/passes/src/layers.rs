//! Drops nodes of some kinds all over the text, one level of nesting after the other: what lists
//! that look alike can all do without goes in a few questions (HDD, Misherghi & Su, ICSE'06). What
//! must stay of a level is unwrapped where possible: the brackets go, their contents stay.
//!
//! Knows the kinds from the language's roles `layer` (nested) and `loose` (few at a time matter,
//! wherever they stand), and nothing of what they mean.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::places::{Place, inner_children};
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "layers";

/// The uppermost level that has two or more nodes with something new to try, last node first; then
/// what is loose.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    if input.is_sweep() {
        return None;
    }
    let layers = by_level(input);
    layers.into_iter().chain([loose(input)]).find_map(|layer| {
        let drop = |&id: &NodeId| Item::new(Edits::drop(id), input.tree.tokens(id));
        let pooled = |items| {
            let items = input.fresh(items);
            if items.len() > 1 { Proposal::new(items, Strategy::All) } else { None }
        };
        pooled(layer.iter().rev().map(drop).collect())
            .or_else(|| pooled(layer.iter().rev().filter_map(|&id| unwrap(input, id)).collect()))
    })
}

/// What a node holds takes its place.
fn unwrap(input: &Input<'_>, id: NodeId) -> Option<Item> {
    let tree = input.tree;
    let inner = inner_children(input, id);
    let kinds = inner.iter().filter(|&&c| !tree.flags(c).extra).map(|&c| tree.kind(c));
    let fits = !inner.is_empty() && Place::of(tree, input.language, id).takes(kinds);
    let left: u32 = inner.iter().map(|&c| tree.tokens(c)).sum();
    fits.then(|| Item::new(Edits::one(id, Change::splice(inner)), tree.tokens(id) - left))
}

/// Nodes that can be dropped, by how many of their kind they stand in.
fn by_level(input: &Input<'_>) -> Vec<Vec<NodeId>> {
    let mut layers: Vec<Vec<NodeId>> = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in input.tree.ids().filter(|&id| input.is("layer", id)) {
        while open.last().is_some_and(|&end| end <= id) {
            open.pop();
        }
        if layers.len() <= open.len() {
            layers.push(Vec::new());
        }
        if input.is_droppable(id) {
            layers[open.len()].push(id);
        }
        open.push(input.tree.subtree_end(id));
    }
    layers
}

fn loose(input: &Input<'_>) -> Vec<NodeId> {
    let all = input.tree.ids().filter(|&id| input.is("loose", id));
    all.filter(|&id| input.is_droppable(id)).collect()
}
