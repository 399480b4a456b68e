//! Takes a name out of the text, together with everything that mentions it.
//!
//! Batched: the names are one list, tried from the one that ends last, in groups that grow with
//! success. Before anything else this removes most of a program.

use minirepro_syntax::{Edits, NodeId};

use crate::framework::mention_removal::{Extent, add_mention, add_unit, weight};
use crate::{Item, PassContext, Plan, Proposal, Reference};

/// Proposes one item per name: each of its mentions goes.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mut names: Vec<(&Vec<u8>, &Vec<NodeId>)> = cx.index().iter().collect();
    names.sort_unstable_by_key(|(_, all)| std::cmp::Reverse(all.last().copied()));
    let items = |extent| {
        let references = cx.references().iter().rev().filter(|reference| reference.is_used());
        let all = names
            .iter()
            .filter_map(|(_, all)| item(cx, all, extent))
            .chain(references.filter_map(|reference| parts(cx, reference, extent)));
        cx.untried(all)
    };
    if cx.is_sweep() {
        let both = [Extent::Wide, Extent::Narrow].into_iter().flat_map(items);
        return Proposal::new(both.collect(), Plan::EACH);
    }
    Proposal::new(items(Extent::Wide), Plan::GALLOP)
        .or_else(|| Proposal::new(items(Extent::Narrow), Plan::GALLOP))
}

/// Returns the item for a name that is a leaf wherever it stands.
fn item(cx: &PassContext<'_>, mentions: &[NodeId], extent: Extent) -> Option<Item> {
    let mut edits = Edits::none();
    let fits = mentions.iter().all(|&mention| add_unit(cx, mention, extent, &mut edits));
    let weight = weight(cx, &edits);
    (fits && weight > 0).then(|| Item::new(edits, weight))
}

/// Returns the item for a name that stands in parts of leaves.
fn parts(cx: &PassContext<'_>, reference: &Reference, extent: Extent) -> Option<Item> {
    let mut edits = Edits::none();
    let mut mentions = reference.mentions.iter();
    let fits = mentions.all(|mention| add_mention(cx, mention, extent, &mut edits));
    let weight = weight(cx, &edits).max(1);
    fits.then(|| Item::new(edits, weight))
}
