//! Drops declarations, and empties bodies, that what the failure needs does not mention: by a graph
//! of all declarations, whatever namespaces they stand in. The coarsest cut in a text of many
//! headers.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::limits::FEW;
use crate::graph::digraph::number;
use crate::graph::parts::{Part, Parts};
use crate::graph::uses::{Needs, Uses};
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes all declarations and bodies, last first, as long as hardly any was proposed before.
/// What was refused may still be there only because the graph knew too little: then nothing counts
/// as needed by what is no item.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    if !cx.language.roles.is_played(Role::Namespace) {
        return None;
    }
    let mut proposal = graph(cx);
    if !proposal.retain(|item| item.edits.is_empty() || !cx.was_refused(item)).is_empty() {
        proposal.probable.clear();
        proposal = proposal.searched(Strategy::ProbeClosures);
    }
    let weight: u32 = proposal.items.iter().map(|item| item.weight).sum();
    let is_much = weight >= cx.tokens(NodeId::ROOT) / 2;
    (proposal.items.len() > FEW && is_much).then_some(proposal)
}

/// Proposes the declarations that are visible from everywhere (outermost, or in a namespace), and
/// the bodies of their functions. Linear in the tree, times a small constant for overloads.
///
/// First comes an item without edits, which stands for all text that is no item: without it a
/// question may leave names that nothing declares. What that needs is probable. Then last first:
/// uses before definitions. A body becomes the least one, a declaration goes. A body needs its
/// function, and both need the declarations of the names that they mention; a compiler may want the
/// bodies of a function that is used: they are possible. A function of a record is needed where the
/// record and its name are both kept, a function that gives a sign a meaning where the sign and its
/// type are; names and signs are items without edits, after all others.
fn graph(cx: &PassContext<'_>) -> Proposal {
    let Parts { all: parts, owners } = cx.parts();
    let uses = Uses::of(cx, parts, owners);
    let names = uses.names();
    let Needs { of_holders: mut needs, of_rest, together, .. } = uses.needs(owners, parts.len());
    let weight = |part: &Part| match cx.is(Role::FileMarker, part.node) {
        true => part.edits.iter().map(|(id, _)| cx.tokens(id)).sum(),
        false => cx.tokens(part.node),
    };
    let mut weights: Vec<u32> = parts.iter().map(weight).collect();
    let mut bodies = vec![Vec::new(); parts.len()];
    for (at, (part, needs)) in parts.iter().zip(&mut needs).enumerate() {
        needs.extend(part.header.map(number));
        if let Some(outer) = part.outer {
            needs.push(number(outer));
            if part.is_body {
                bodies[outer].push(number(at));
            }
            weights[outer] = weights[outer].saturating_sub(cx.tokens(part.node));
        }
    }
    let count = number(parts.len());
    let place = |part: u32| if part < count { count - part } else { part + 1 };
    let places = |mut parts: Vec<u32>| -> Vec<u32> {
        parts.sort_unstable();
        parts.dedup();
        parts.into_iter().rev().map(place).collect()
    };
    // The rest of the text comes first.
    let mut rest = vec![Vec::new(); needs.len()];
    rest.push(of_rest);
    needs.push(Vec::new());
    bodies.push(Vec::new());
    let items = parts.iter().zip(weights).rev();
    let items = items.map(|(part, weight)| Item::new(part.edits.clone(), weight));
    let of_names = std::iter::repeat_n(Vec::new(), names);
    let names = std::iter::repeat_n(Item::new(Edits::none(), 1), names);
    let items = std::iter::once(Item::new(Edits::none(), 0)).chain(items).chain(names).collect();
    Proposal {
        needs: needs.into_iter().rev().chain(of_names).map(places).collect(),
        probable: rest.into_iter().rev().map(places).collect(),
        possible: bodies.into_iter().rev().map(places).collect(),
        together: together.into_iter().map(|all| all.map(place)).collect(),
        ..Proposal::of(items, Strategy::Closures)
    }
}
