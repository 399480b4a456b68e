//! Drops parts from all over the text, whatever lists they stand in, as one list: where parts hardly
//! need each other (markup), that finds the few needed ones without a walk down every level.
//!
//! Knows the kinds from the language's role `pool`, and nothing of what they mean.

use minirepro_syntax::{Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "pool";

/// Parts with more than one in so many of all tokens are opened: what they consist of counts.
const SHARE: u32 = 8;

/// The uppermost parts that are not too heavy, last first, as long as they hold most of the text.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    if input.is_sweep() {
        return None;
    }
    let tree = input.tree;
    let total = tree.tokens(NodeId::ROOT);
    let (mut items, mut weight) = (Vec::new(), 0);
    let mut at = NodeId(1);
    while at < tree.subtree_end(NodeId::ROOT) {
        let light = tree.tokens(at) <= total / SHARE && tree.tokens(at) > 0;
        if light && input.is("pool", at) && input.is_droppable(at) {
            let item = Item::new(Edits::drop(at), tree.tokens(at));
            if !input.is_refused(&item) {
                weight += tree.tokens(at);
                items.push(item);
            }
            at = tree.subtree_end(at);
        } else {
            at = NodeId(at.0 + 1);
        }
    }
    if items.len() < FEW || weight < total / 2 {
        return None;
    }
    items.reverse();
    Proposal::new(items, Strategy::Halves)
}

/// Fewer parts are left to other passes.
const FEW: usize = 4;
