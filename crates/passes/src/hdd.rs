//! Hierarchical delta debugging as published, to compare with: HDD by levels (Misherghi & Su,
//! ICSE'06) and HDDr by the children of one node after the other (Kiss, Hodován & Gyimóthy, 2018).
//!
//! What cannot be dropped is put to the least text of its kind. Both go on to a fixpoint (HDD*), as
//! every pass does. Each is a pipeline of its own; knows nothing of the other passes.

use std::collections::BTreeMap;

use minirepro_syntax::{Edits, NodeId};

use crate::structure::least_texts;
use crate::{Input, Item, Proposal, Strategy};

/// All nodes of the uppermost level that has something new to try.
pub(crate) fn propose_levels(input: &Input<'_>) -> Option<Proposal> {
    propose(input, |levels| levels.into_values().collect())
}

/// The children of the first node, level after level, that has something new to try.
pub(crate) fn propose_children(input: &Input<'_>) -> Option<Proposal> {
    propose(input, |levels| {
        let families = levels.into_values().map(|level| {
            level
                .chunk_by(|&a, &b| input.tree.parent(a) == input.tree.parent(b))
                .map(<[NodeId]>::to_vec)
                .collect::<Vec<_>>()
        });
        families.flatten().collect()
    })
}

fn propose(
    input: &Input<'_>,
    group: impl Fn(BTreeMap<usize, Vec<NodeId>>) -> Vec<Vec<NodeId>>,
) -> Option<Proposal> {
    let items = |group: Vec<NodeId>| -> Vec<Item> {
        group.into_iter().filter_map(|id| prune(input, id)).collect()
    };
    let groups = group(levels(input)).into_iter().map(items);
    if input.is_sweep() {
        return Proposal::new(groups.flatten().collect(), Strategy::Single);
    }
    groups.map(|items| input.fresh(items)).find_map(|items| Proposal::new(items, Strategy::All))
}

/// All nodes but the root by depth, in document order.
fn levels(input: &Input<'_>) -> BTreeMap<usize, Vec<NodeId>> {
    let mut levels: BTreeMap<usize, Vec<NodeId>> = BTreeMap::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in input.tree.ids() {
        while open.last().is_some_and(|&end| end <= id) {
            open.pop();
        }
        if id != NodeId::ROOT {
            levels.entry(open.len()).or_default().push(id);
        }
        open.push(input.tree.subtree_end(id));
    }
    levels
}

/// The node goes, or leaves the least text that its place allows.
fn prune(input: &Input<'_>, id: NodeId) -> Option<Item> {
    let tokens = input.tree.tokens(id);
    if input.is_droppable(id) && (input.tree.is_named(id) || tokens > 0) {
        return Some(Item::new(Edits::drop(id), tokens));
    }
    if tokens < 2 {
        return None;
    }
    least_texts(input, id).into_iter().next()
}
