//! Puts a copy of another part of the text in the place of a part: one that is no larger, stands elsewhere,
//! and fits the place.
//!
//! Vulcan (Xu et al., OOPSLA'23) replaces identifiers and subtrees in the same way where Perses ends.

use std::collections::HashSet;

use minirepro_syntax::{Change, Edits, NodeId};

use crate::framework::slots::Place;
use crate::{Item, PassContext, Proposal, Strategy};

/// Parts with more tokens stay as they are.
const LARGE: u32 = 12;

/// Texts with more nodes are not looked at: the number of pairs is the square of it.
const MANY: usize = 1_000;

/// Proposes one item for each part and each other text that can stand there, the smallest result first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    if tree.len() > MANY {
        return None;
    }
    let is_part = |&id: &NodeId| {
        tree.is_named(id) && !tree.flags(id).extra && (1..=LARGE).contains(&tree.tokens(id))
    };
    let parts: Vec<NodeId> = tree.ids().skip(1).filter(is_part).collect();
    let mut texts = HashSet::new();
    let sources: Vec<NodeId> =
        parts.iter().copied().filter(|&id| texts.insert((tree.hash(id), tree.kind(id)))).collect();
    let mut items = Vec::new();
    for id in context.until(parts.iter().copied()) {
        let place = Place::of(context, id);
        let overlaps = |other: NodeId| tree.contains(id, other) || tree.contains(other, id);
        let fits = |&other: &NodeId| {
            tree.tokens(other) <= tree.tokens(id)
                && tree.hash(other) != tree.hash(id)
                && !overlaps(other)
                && place.takes([tree.kind(other)])
        };
        for other in sources.iter().copied().filter(fits) {
            let weight = tree.tokens(id) - tree.tokens(other);
            items.push(Item::new(Edits::one(id, Change::hoist(other)), weight));
        }
    }
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    Proposal::new(context.untried(items), Strategy::Single)
}
