//! Drops nodes of some kinds all over the text, one level of nesting after the other: what lists
//! that look alike can all do without goes in a few questions (HDD, Misherghi & Su, ICSE'06).
//!
//! Knows the kinds from the language's roles `layer` (nested) and `loose` (few at a time matter,
//! wherever they stand), and nothing of what they mean.

use minirepro_syntax::{Edits, NodeId};

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
        let items = input.fresh(layer.iter().rev().map(drop).collect());
        if items.len() > 1 { Proposal::new(items, Strategy::All) } else { None }
    })
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
