//! Takes a name out of the text, together with everything that mentions it; and an element with
//! everything that refers to it elsewhere: style rules that select it, labels, statements of
//! scripts.
//!
//! Batched: the names are one list, tried from the one that ends last, in groups that grow with
//! success. Before anything else this removes most of a program.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::mention_removal::{Extent, add_mention, add_unit, weight};
use crate::{Item, PassContext, Plan, Proposal, Reference};

/// Proposes one item per name: each of its mentions goes.
pub(crate) fn symbols(cx: &PassContext<'_>) -> Option<Proposal> {
    let mut names: Vec<&Vec<NodeId>> = cx.index().values().collect();
    names.sort_unstable_by_key(|all| Reverse(all.last().copied()));
    let items = |extent| {
        let leaves = names.iter().filter_map(move |all| {
            let mut edits = Edits::none();
            let fits = all.iter().all(|&mention| add_unit(cx, mention, extent, &mut edits));
            let weight = weight(cx, &edits);
            (fits && weight > 0).then(|| Item::new(edits, weight))
        });
        let used = cx.references().iter().rev().filter(|reference| reference.is_used());
        let parts = used.filter_map(move |name| {
            let mut edits = Edits::none();
            let mut mentions = name.mentions.iter();
            let has_extent = cx.is_leaf(name.mentions[0].leaf) || name.said(cx.tree).is_some();
            let extent = if has_extent { extent } else { Extent::Wide };
            let fits = mentions.all(|mention| add_mention(cx, mention, extent, &mut edits));
            let weight = weight(cx, &edits).max(1);
            fits.then(|| Item::new(edits, weight))
        });
        cx.untried(leaves.chain(parts))
    };
    if cx.is_sweep() {
        return Proposal::new([items(Extent::Wide), items(Extent::Narrow)].concat(), Plan::EACH);
    }
    Proposal::new(items(Extent::Wide), Plan::GALLOP)
        .or_else(|| Proposal::new(items(Extent::Narrow), Plan::GALLOP))
}

/// Proposes one item for each element with a name that is used outside of it and given nowhere
/// else, last first.
pub(crate) fn linked(cx: &PassContext<'_>) -> Option<Proposal> {
    let used: Vec<&Reference> = cx.references().iter().filter(|r| r.is_used()).collect();
    let given = used.iter().flat_map(|r| &r.mentions).filter(|m| m.is_definition);
    let element = |leaf| cx.ancestors(leaf).find(|&id| cx.is(Role::Element, id));
    let elements: BTreeSet<NodeId> = given.filter_map(|m| element(m.leaf)).collect();
    let items = elements.into_iter().rev().filter_map(|id| with_links(cx, id, &used));
    cx.proposal(items, Plan::GALLOP)
}

fn with_links(cx: &PassContext<'_>, element: NodeId, used: &[&Reference]) -> Option<Item> {
    let mut edits = Edits::drop(element);
    for reference in used {
        let (inside, outside): (Vec<_>, Vec<_>) =
            reference.mentions.iter().partition(|m| cx.contains(element, m.leaf));
        let is_given = inside.iter().any(|m| m.is_definition);
        if is_given && !outside.iter().any(|m| m.is_definition) {
            let mut all = outside.into_iter();
            all.all(|m| add_mention(cx, m, Extent::Wide, &mut edits)).then_some(())?;
        }
    }
    (edits.len() > 1).then(|| Item::new(edits.clone(), weight(cx, &edits)))
}
