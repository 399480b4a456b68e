//! Drops a part of a large text with all that is there only for its sake: the functions that only it calls, the types
//! that only these use, and so on, whatever namespaces they stand in.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::element_graph::{ElementGraph, Loss};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-dominated";

/// What takes less than one in so many tokens with it is left to other passes.
const LEAST: u32 = 400;

/// In smaller texts other passes are as fast.
const LARGE: u32 = 10_000;

/// Of so many parts it is found out how much goes with each.
const MOST: usize = 64;

/// So many of them are tried before the graph is made anew.
const FEW: usize = 8;

/// Proposes the declarations that nothing else needs, as far as they were not refused; then the parts with which most goes.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let total = context.tree.tokens(NodeId::ROOT);
    if context.is_sweep() || total < LARGE || !context.language.roles.is_played(Role::Namespace) {
        return None;
    }
    let graph = ElementGraph::of(context);
    let untried = |numbers: Vec<usize>| {
        let known = |number: usize| item(graph.node(number), Edits::none(), 0);
        let new = numbers.into_iter().filter(|&number| !context.was_refused(&known(number)));
        let losses = context.until(new.take(MOST)).filter_map(|number| graph.loss(number));
        let mut items: Vec<Item> =
            losses.map(|Loss { of, edits, weight }| item(of, edits, weight)).collect();
        items.sort_by_key(|item| std::cmp::Reverse(item.weight));
        items
    };
    let roots = untried(graph.roots());
    if !roots.is_empty() {
        return Proposal::new(roots, Strategy::Halves);
    }
    let mut others = untried(graph.others(total / LEAST));
    others.truncate(FEW);
    Proposal::new(others, Strategy::Single)
}

fn item(of: NodeId, edits: Edits, weight: u32) -> Item {
    Item { known_by: Some(of), ..Item::new(edits, weight) }
}
