//! Drops every qualifier of one spelling at once, all over the text.
//!
//! Seldom is any needed, and some tie things together that could go apart (a `static` function goes
//! with its last call), so this comes first.

use std::collections::BTreeMap;

use minirepro_syntax::{Edits, NodeId, Role};

use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes one item per spelling.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let mut spellings: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
    let words = |&id: &NodeId| tree.tokens(id) == 1 && context.is(Role::Qualifier, id);
    for id in context.ids().filter(words).filter(|&id| context.is_droppable(id)) {
        spellings.entry(tree.text_of(id)).or_default().push(id);
    }
    let items = spellings.into_values().map(|all| {
        let weight = all.iter().map(|&id| tree.tokens(id)).sum();
        Item::new(Edits::drop_all(all), weight)
    });
    Proposal::new(context.untried(items.collect()), Strategy::All)
}
