//! Takes a name out of the text, together with everything that mentions it.
//!
//! Batched: the names are one list, tried from the one that ends last, in groups that grow with
//! success. Before anything else this removes most of a program (DESIGN.md §4).

use minirepro_syntax::{Edits, NodeId};

use crate::references::{Reference, add_mention, weight};
use crate::units::{Extent, add_unit};
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "names";

/// One item per name: each of its mentions goes.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let mut names: Vec<(&Vec<u8>, &Vec<NodeId>)> = input.index().names.iter().collect();
    names.sort_unstable_by_key(|(_, all)| std::cmp::Reverse(all.last().copied()));
    let items = |extent| {
        let references = input.references().iter().rev().filter(|reference| reference.is_used());
        let all = names
            .iter()
            .filter_map(|(_, all)| item(input, all, extent))
            .chain(references.filter_map(|reference| parts(input, reference, extent)));
        input.fresh(all.collect())
    };
    if input.is_sweep() {
        let both = [Extent::Wide, Extent::Narrow].into_iter().flat_map(items);
        return Proposal::new(both.collect(), Strategy::Single);
    }
    Proposal::new(items(Extent::Wide), Strategy::Gallop)
        .or_else(|| Proposal::new(items(Extent::Narrow), Strategy::Gallop))
}

/// A name that is a leaf wherever it stands.
fn item(input: &Input<'_>, mentions: &[NodeId], extent: Extent) -> Option<Item> {
    let mut edits = Edits::none();
    let fits = mentions.iter().all(|&mention| add_unit(input, mention, extent, &mut edits));
    let weight = weight(input, &edits);
    (fits && weight > 0).then(|| Item::new(edits, weight))
}

/// A name that stands in parts of leaves.
fn parts(input: &Input<'_>, reference: &Reference, extent: Extent) -> Option<Item> {
    let mut edits = Edits::none();
    let mut mentions = reference.mentions.iter();
    let fits = mentions.all(|mention| add_mention(input, mention, extent, &mut edits));
    let weight = weight(input, &edits).max(1);
    fits.then(|| Item::new(edits, weight))
}
