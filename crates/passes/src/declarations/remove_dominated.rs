//! Drops a part of a large text with all that is there only for its sake: the functions that only it calls, the types
//! that only these use, and so on, whatever namespaces they stand in.

use minirepro_syntax::{Edits, NodeId, Piece, Role};

use crate::framework::element_graph::{ElementGraph, Loss};
use crate::structure::delete_and_hoist::{hoists, least_texts};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-dominated";

/// What takes less than one in so many tokens with it is left to other passes.
const LEAST: u32 = 400;

/// In smaller texts other passes are as fast.
const LARGE: u32 = 10_000;

/// In larger ones they go before the lists: below this, lists win more by each question.
const VERY_LARGE: u32 = 50_000;

/// Of so many parts it is found out how much goes with each.
const MOST: usize = 64;

/// So many of them are tried before the graph is made anew.
const FEW: usize = 8;

/// Proposes the declarations that nothing else needs, as far as they were not refused, in texts that are so large that each
/// question about a list takes long.
pub(crate) fn propose_roots(context: &PassContext<'_>) -> Option<Proposal> {
    let is_very_large = context.tree.tokens(NodeId::ROOT) >= VERY_LARGE;
    is_very_large.then(|| graph(context))?.and_then(|graph| roots(context, &graph))
}

/// Proposes the same, and then the parts with which most goes.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let graph = graph(context)?;
    roots(context, &graph).or_else(|| {
        let mut others = others(context, &graph);
        others.sort_by_key(|item| std::cmp::Reverse(item.weight));
        others.truncate(FEW);
        Proposal::new(others, Strategy::Single)
    })
}

fn graph<'a>(context: &'a PassContext<'a>) -> Option<ElementGraph<'a>> {
    let is_large = context.tree.tokens(NodeId::ROOT) >= LARGE;
    let is_graph = is_large && context.language.roles.is_played(Role::Namespace);
    (is_graph && !context.is_sweep()).then(|| ElementGraph::of(context))
}

fn roots(context: &PassContext<'_>, graph: &ElementGraph<'_>) -> Option<Proposal> {
    let roots = graph.roots().into_iter();
    let new =
        roots.filter(|&number| !context.was_refused(&item(graph.node(number), Edits::none(), 0)));
    let losses = context.until(new.take(MOST)).filter_map(|number| graph.loss(number));
    let mut items: Vec<Item> =
        losses.map(|Loss { of, edits, weight }| item(of, edits, weight)).collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    Proposal::new(items, Strategy::Halves)
}

/// Returns the parts that can go and were not refused, each with what is there only for its sake, and smaller nodes in the
/// place of others.
fn others(context: &PassContext<'_>, graph: &ElementGraph<'_>) -> Vec<Item> {
    let least = context.tree.tokens(NodeId::ROOT) / LEAST;
    let is_new = |item: &Item| !context.was_refused(item);
    let mut items: Vec<Item> = Vec::new();
    for number in context.until(graph.others(least)) {
        if items.len() >= MOST {
            break;
        }
        let id = graph.node(number);
        if graph.is_droppable(number) && is_new(&item(id, Edits::none(), 0)) {
            items.extend(loss(graph, number));
        }
        let smaller = least_texts(context, id).into_iter().take(1).chain(hoists(context, id));
        let smaller = smaller.map(|item| {
            let kept = item.edits.iter().flat_map(|(_, change)| &change.0);
            let kept = kept.filter_map(|piece| match piece {
                Piece::Node(node) => Some(*node),
                Piece::Text(..) | Piece::Part(..) => None,
            });
            Item { weight: graph.value(number, kept), ..item }
        });
        items.extend(smaller.filter(|item| item.weight >= least && is_new(item)).take(FEW_SMALLER));
    }
    items
}

/// Returns a part with what goes with it. Where that is little beside what goes once others are gone, too, it goes alone.
fn loss(graph: &ElementGraph<'_>, number: usize) -> Option<Item> {
    let value = graph.value(number, [].into_iter());
    match graph.loss(number) {
        Some(Loss { of, edits, weight }) if weight >= value / 2 => Some(item(of, edits, weight)),
        _ => graph.alone(number).map(|edits| item(graph.node(number), edits, value)),
    }
}

/// So many smaller nodes are tried in the place of one.
const FEW_SMALLER: usize = 2;

fn item(of: NodeId, edits: Edits, weight: u32) -> Item {
    Item { known_by: Some(of), ..Item::new(edits, weight) }
}
