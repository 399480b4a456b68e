//! Drops an element together with everything that refers to it elsewhere: style rules that select
//! it, labels, statements of scripts.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::mention_removal::{Extent, add_mention, weight};
use crate::{Item, PassContext, Plan, Proposal, Reference};

/// Proposes one item for each element with a name that is used outside of it and given nowhere
/// else, last first.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let references = cx.references();
    let used: Vec<&Reference> = references.iter().filter(|r| r.is_used()).collect();
    let mut elements: Vec<NodeId> = used
        .iter()
        .flat_map(|r| &r.mentions)
        .filter(|m| m.is_definition)
        .filter_map(|m| element(cx, m.leaf))
        .collect();
    elements.sort_unstable();
    elements.dedup();
    let items = elements.iter().rev().filter_map(|&element| item(cx, element, &used));
    cx.proposal(items, Plan::GALLOP)
}

/// Returns the element that is named at this leaf.
fn element(cx: &PassContext<'_>, leaf: NodeId) -> Option<NodeId> {
    cx.ancestors(leaf).find(|&id| cx.is(Role::Element, id))
}

fn item(cx: &PassContext<'_>, element: NodeId, used: &[&Reference]) -> Option<Item> {
    let mut edits = Edits::drop(element);
    let inside = |leaf| cx.contains(element, leaf);
    for reference in used {
        let mut givers = reference.mentions.iter().filter(|m| m.is_definition);
        let is_own = givers.clone().any(|m| inside(m.leaf)) && givers.all(|m| inside(m.leaf));
        if !is_own {
            continue;
        }
        for mention in reference.mentions.iter().filter(|m| !inside(m.leaf)) {
            if !add_mention(cx, mention, Extent::Wide, &mut edits) {
                return None;
            }
        }
    }
    (edits.len() > 1).then(|| Item::new(edits.clone(), weight(cx, &edits)))
}
