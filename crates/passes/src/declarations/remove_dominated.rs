//! Drops a part of a large text with all that is there only for its sake: the functions that only it calls, the types
//! that only these use, and so on, whatever namespaces they stand in.

use minirepro_syntax::{NodeId, Role};

use crate::framework::element_graph::{ElementGraph, Loss};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-dominated";

/// What takes less than one in so many tokens with it is left to other passes.
const LEAST: u32 = 400;

/// In smaller texts other passes are as fast.
const LARGE: u32 = 10_000;

/// So many parts are looked at, and so many of them are tried before the graph is made anew.
const MOST: usize = 200;
const FEW: usize = 8;

/// Proposes the parts with which most goes.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let total = context.tree.tokens(NodeId::ROOT);
    if context.is_sweep() || total < LARGE || !context.language.roles.is_played(Role::Namespace) {
        return None;
    }
    let graph = ElementGraph::of(context);
    let item = |Loss { of, edits, weight }| Item { known_by: Some(of), ..Item::new(edits, weight) };
    let untried = |losses: Vec<Loss>| {
        let items = losses.into_iter().map(item);
        items.filter(|item| !context.was_refused(item)).collect::<Vec<Item>>()
    };
    let roots = untried(graph.roots());
    if !roots.is_empty() {
        return Proposal::new(roots, Strategy::Halves);
    }
    let mut others = untried(graph.losses(total / LEAST, MOST));
    others.truncate(FEW);
    Proposal::new(others, Strategy::Single)
}
