//! Drops every qualifier of one spelling at once, all over the text. Of longer ones only the
//! beginning counts.
//!
//! Seldom is any needed, and some tie things together that could go apart (a `static` function goes
//! with its last call), so this comes first. While the text is large, there is one question about
//! all of them.

use std::collections::BTreeMap;

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::limits::{LONGEST_QUALIFIER, QUALIFIED_TEXT};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes one item per spelling.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mut spellings: BTreeMap<Vec<&[u8]>, Vec<NodeId>> = BTreeMap::new();
    let is_short = |id: NodeId| (1..=LONGEST_QUALIFIER).contains(&cx.tokens(id));
    let qualifiers = |&id: &NodeId| cx.is(Role::Qualifier, id) && is_short(id);
    let mut behind = NodeId::ROOT;
    for id in cx.ids().filter(qualifiers).filter(|&id| cx.is_droppable(id)) {
        // What stands in another one goes with it.
        if id >= behind {
            behind = cx.subtree_end(id);
            spellings.entry(beginning(cx, id)).or_default().push(id);
        }
    }
    let items = spellings.into_values().map(|all| {
        let weight = all.iter().map(|&id| cx.tokens(id)).sum();
        Item::new(Edits::drop_all(all), weight)
    });
    let items: Vec<Item> = items.collect();
    if cx.tokens(NodeId::ROOT) > QUALIFIED_TEXT && !cx.is_sweep() {
        return cx.proposal(vec![joined(&items)?], Plan::ALL);
    }
    cx.proposal(items, Plan::ALL)
}

/// Returns all items as one; `None` if there is none.
fn joined(items: &[Item]) -> Option<Item> {
    let mut edits = Edits::none();
    let fits = items.iter().all(|item| edits.merge(&item.edits));
    let weight = items.iter().map(|item| item.weight).sum();
    (fits && !items.is_empty()).then(|| Item::new(edits, weight))
}

/// Returns the first two leaves of a qualifier: a word, or a sign with the word after it.
fn beginning<'a>(cx: &PassContext<'a>, id: NodeId) -> Vec<&'a [u8]> {
    let leaves = cx.leaves_in(id);
    leaves.take(2).map(|leaf| cx.text_of(leaf)).collect()
}
