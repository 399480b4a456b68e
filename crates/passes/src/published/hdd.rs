//! Hierarchical delta debugging as published, to compare with: HDD by levels (Misherghi & Su,
//! ICSE'06) and HDDr by the children of one node after the other (Kiss, Hodován & Gyimóthy, 2018).
//!
//! What cannot be dropped is put to the least text of its kind. Both go on to a fixpoint (HDD*), as
//! every pass does. Each is a pipeline of its own, independent of the other passes.

use std::collections::BTreeMap;

use minirepro_syntax::{Edits, NodeId};

use crate::structure::delete_and_hoist::least_texts;
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes all nodes of the uppermost level that has something new to try.
pub(crate) fn propose_levels(context: &PassContext<'_>) -> Option<Proposal> {
    propose(context, |levels| levels.into_values().collect())
}

/// Proposes the children of the first node, level after level, that has something new to try.
pub(crate) fn propose_children(context: &PassContext<'_>) -> Option<Proposal> {
    propose(context, |levels| {
        let families = levels.into_values().map(|level| {
            level
                .chunk_by(|&a, &b| context.tree.parent(a) == context.tree.parent(b))
                .map(<[NodeId]>::to_vec)
                .collect::<Vec<_>>()
        });
        families.flatten().collect()
    })
}

fn propose(
    context: &PassContext<'_>,
    group: impl Fn(BTreeMap<usize, Vec<NodeId>>) -> Vec<Vec<NodeId>>,
) -> Option<Proposal> {
    let items = |group: Vec<NodeId>| -> Vec<Item> {
        group.into_iter().filter_map(|id| prune(context, id)).collect()
    };
    let groups = group(levels(context)).into_iter().map(items);
    if context.is_sweep() {
        return Proposal::new(groups.flatten().collect(), Strategy::Single);
    }
    groups.map(|items| context.untried(items)).find_map(|items| Proposal::new(items, Strategy::All))
}

/// Returns all nodes but the root by depth, in document order.
fn levels(context: &PassContext<'_>) -> BTreeMap<usize, Vec<NodeId>> {
    let mut levels: BTreeMap<usize, Vec<NodeId>> = BTreeMap::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in context.ids() {
        while open.last().is_some_and(|&end| end <= id) {
            open.pop();
        }
        if id != NodeId::ROOT {
            levels.entry(open.len()).or_default().push(id);
        }
        open.push(context.tree.subtree_end(id));
    }
    levels
}

/// Returns the change that drops the node, or leaves the least text that its place allows.
fn prune(context: &PassContext<'_>, id: NodeId) -> Option<Item> {
    let tokens = context.tree.tokens(id);
    if context.is_droppable(id) && (context.tree.is_named(id) || tokens > 0) {
        return Some(Item::new(Edits::drop(id), tokens));
    }
    if tokens < 2 {
        return None;
    }
    least_texts(context, id).into_iter().next()
}
