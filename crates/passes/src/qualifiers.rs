//! Drops every qualifier of one spelling at once, all over the text.
//!
//! Seldom is any needed, and some tie things together that could go apart (a `static` function goes
//! with its last call), so this comes first.

use std::collections::BTreeMap;

use minirepro_syntax::{Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// One item per spelling.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let tree = input.tree;
    let mut spellings: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
    let words = |&id: &NodeId| tree.tokens(id) == 1 && input.is("qualifier", id);
    for id in tree.ids().filter(words).filter(|&id| input.is_droppable(id)) {
        spellings.entry(tree.text_of(id)).or_default().push(id);
    }
    let items = spellings.into_values().map(|all| {
        let weight = all.iter().map(|&id| tree.tokens(id)).sum();
        Item::new(Edits::drop_all(all), weight)
    });
    Proposal::new(input.fresh(items.collect()), Strategy::All)
}
