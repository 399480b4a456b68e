//! Drops parts from all over the text, whatever lists they stand in, as one list: where parts
//! hardly need each other (markup), that finds the few needed ones without a walk down every level.
//! The kinds are those of the role `pool`.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::limits::{HEAVY_SHARE, POOLED_PARTS};
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes the uppermost parts that are not too heavy, last first, as long as they hold most of
/// the text.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
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
