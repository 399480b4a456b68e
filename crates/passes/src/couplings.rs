//! Drops an element together with what speaks of it elsewhere: style rules that select it, labels,
//! statements of scripts. Knows from the language which names stand for elements, not what they mean.

use minirepro_syntax::{Edits, NodeId};

use crate::references::{Reference, add_mention, weight};
use crate::units::Extent;
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "couplings";

/// One item for each element with a name that is used outside of it and given nowhere else, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let references = input.references();
    let used: Vec<&Reference> = references.iter().filter(|r| r.is_used()).collect();
    let mut elements: Vec<NodeId> = used
        .iter()
        .flat_map(|r| &r.mentions)
        .filter(|m| m.gives)
        .filter_map(|m| element(input, m.leaf))
        .collect();
    elements.sort_unstable();
    elements.dedup();
    let items = elements.iter().rev().filter_map(|&element| item(input, element, &used)).collect();
    Proposal::new(input.fresh(items), Strategy::Gallop)
}

/// What a name that is given at this leaf is given to.
fn element(input: &Input<'_>, leaf: NodeId) -> Option<NodeId> {
    input.tree.ancestors(leaf).find(|&id| input.is("element", id))
}

fn item(input: &Input<'_>, element: NodeId, used: &[&Reference]) -> Option<Item> {
    let mut edits = Edits::drop(element);
    let inside = |leaf| input.tree.contains(element, leaf);
    for reference in used {
        let mut givers = reference.mentions.iter().filter(|m| m.gives);
        let is_own = givers.clone().any(|m| inside(m.leaf)) && givers.all(|m| inside(m.leaf));
        if !is_own {
            continue;
        }
        for mention in reference.mentions.iter().filter(|m| !inside(m.leaf)) {
            if !add_mention(input, mention, Extent::Wide, &mut edits) {
                return None;
            }
        }
    }
    (edits.len() > 1).then(|| Item::new(edits.clone(), weight(input, &edits)))
}
