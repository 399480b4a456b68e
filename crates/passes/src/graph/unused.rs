//! Drops declarations, and empties bodies, that what the failure needs does not mention: by a graph
//! of all declarations, whatever namespaces they stand in. The coarsest cut in a text of many
//! headers.

use std::collections::BTreeSet;

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::limits::FEW;
use crate::graph::holders::number;
use crate::graph::words;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes all declarations and bodies, last first, as long as hardly any was proposed before.
/// What was refused may still be there only because the graph knew too little: then nothing counts
/// as needed by what is no item.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    // In C, what stands before a declaration is mostly needed by it. What a script runs calls more
    // than it names.
    let plays = |role| cx.language.roles.is_played(role);
    let is_script = || cx.children(NodeId::ROOT).any(|id| cx.is(Role::ExpressionStatement, id));
    let is_known = plays(Role::Namespace) || !plays(Role::Macro) && !is_script();
    let has_graph = plays(Role::Function) && is_known;
    let mut proposal = if has_graph { graph(cx) } else { words::graph(cx)? };
    if !proposal.retain(|item| item.edits.is_empty() || !cx.was_refused(item)).is_empty() {
        proposal.needs[1].clear();
        proposal.plan = Plan::PROBE_CLOSURES;
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
    let graph = cx.graph();
    let parts = &graph.parts;
    let mut needs = graph.needs.clone();
    let rest = needs.pop().unwrap_or_default();
    let mut weights: Vec<u32> = parts.iter().map(|part| cx.tokens(part.node)).collect();
    let mut bodies = vec![Vec::new(); parts.len()];
    for (at, (part, needs)) in parts.iter().zip(&mut needs).enumerate() {
        if let Some(outer) = part.outer {
            needs.push(number(outer));
            if part.is_body {
                bodies[outer].push(number(at));
            }
            weights[outer] = weights[outer].saturating_sub(cx.tokens(part.node));
        }
    }
    // The rest of the text comes first, then the last part, and after all of them the names.
    let count = number(parts.len());
    let place = |part: u32| if part < count { count - part } else { part + 1 };
    let places =
        |parts: Vec<u32>| Vec::from_iter(BTreeSet::from_iter(parts.into_iter().map(place)));
    let listed = |first: Vec<u32>, of_parts: Vec<Vec<u32>>| {
        let all = [first].into_iter().chain(of_parts.into_iter().rev());
        all.map(places).chain(std::iter::repeat_n(Vec::new(), graph.names)).collect()
    };
    let items = parts.iter().zip(weights).rev();
    let items = items.map(|(part, weight)| Item::new(part.edits.clone(), weight));
    let none = |weight| Item::new(Edits::none(), weight);
    let items = [none(0)].into_iter().chain(items);
    let items = items.chain(std::iter::repeat_n(none(1), graph.names)).collect();
    Proposal {
        needs: [
            listed(Vec::new(), needs),
            listed(rest, vec![Vec::new(); parts.len()]),
            listed(Vec::new(), bodies),
        ],
        together: graph.together.iter().map(|all| all.map(place)).collect(),
        ..Proposal::of(items, Plan::CLOSURES)
    }
}
