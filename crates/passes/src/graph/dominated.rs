//! Drops a part of a large text with all that is there only for its sake: the functions that only
//! it calls, the types that only these use, and so on, whatever namespaces they stand in.

use std::ops::RangeBounds;

use minirepro_syntax::{Edits, NodeId, Piece, Role};

use crate::framework::limits::{
    CHAIN_TRIED, DOMINATED_SHARE, DOMINATORS, DOMINATORS_TRIED, LARGE_TEXT, LATE_TEXT,
    SMALLER_NODES, VERY_LARGE_TEXT,
};
use crate::graph::elements::ElementGraph;
use crate::structure::delete_and_hoist::{hoists, least_texts};
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes the declarations that nothing else needs, as far as they were not refused, in very
/// large texts.
pub(crate) fn propose_roots(cx: &PassContext<'_>) -> Option<Proposal> {
    graph(cx, VERY_LARGE_TEXT..).and_then(|graph| roots(cx, &graph))
}

/// Proposes the same in all large texts, then the parts with which most goes, and then those that
/// may lead to most.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    largest(cx, &graph(cx, LARGE_TEXT..)?)
}

/// Proposes the same in smaller texts.
pub(crate) fn propose_late(cx: &PassContext<'_>) -> Option<Proposal> {
    largest(cx, &graph(cx, LATE_TEXT..LARGE_TEXT)?)
}

/// Proposes what nothing needs, then the parts with which most goes, and then those that may lead
/// to most.
fn largest(cx: &PassContext<'_>, graph: &ElementGraph<'_>) -> Option<Proposal> {
    let least = cx.tokens(NodeId::ROOT) / DOMINATED_SHARE;
    roots(cx, graph)
        .or_else(|| best(with_dominated(cx, graph, graph.dominating(least))))
        .or_else(|| best(valuable(cx, graph, least)))
}

/// Proposes the heaviest of these, each by itself.
fn best(mut items: Vec<Item>) -> Option<Proposal> {
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    items.truncate(DOMINATORS_TRIED);
    Proposal::new(items, Strategy::Single)
}

fn graph<'a>(cx: &'a PassContext<'a>, sizes: impl RangeBounds<u32>) -> Option<ElementGraph<'a>> {
    let is_of_size = sizes.contains(&cx.tokens(NodeId::ROOT));
    let is_graph = is_of_size && cx.language.roles.is_played(Role::Namespace);
    is_graph.then(|| ElementGraph { cx, parts: cx.parts(), graph: cx.graph() })
}

fn roots(cx: &PassContext<'_>, graph: &ElementGraph<'_>) -> Option<Proposal> {
    let mut items = with_dominated(cx, graph, graph.roots());
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    Proposal::new(items, Strategy::Halves)
}

/// Returns those of the parts that were not refused, each with what is there only for its sake.
fn with_dominated(
    cx: &PassContext<'_>,
    graph: &ElementGraph<'_>,
    numbers: Vec<usize>,
) -> Vec<Item> {
    let new = numbers.into_iter().filter(|&number| !was_refused(cx, graph, number));
    let new = new.filter(|&number| is_open(cx, graph, number));
    cx.until(new.take(DOMINATORS)).filter_map(|number| graph.loss(number)).collect()
}

/// Returns the parts alone that may lead to much, and smaller nodes in place of others.
fn valuable(cx: &PassContext<'_>, graph: &ElementGraph<'_>, least: u32) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for number in cx.until(graph.valuable(least)) {
        if items.len() >= DOMINATORS {
            break;
        }
        let id = graph.node(number);
        if graph.is_droppable(number) && !was_refused(cx, graph, number) {
            let value = graph.value(number, [].into_iter());
            items.extend(graph.alone(number).map(|edits| graph.item(number, edits, value)));
        }
        let smaller = least_texts(cx, id).into_iter().take(1).chain(hoists(cx, id));
        let smaller = smaller.map(|item| {
            let kept = item.edits.iter().flat_map(|(_, change)| &change.0);
            let kept = kept.filter_map(|piece| match piece {
                Piece::Node(node) => Some(*node),
                Piece::Text(..) | Piece::Part(..) => None,
            });
            Item { weight: graph.value(number, kept), ..item }
        });
        let is_new = |item: &Item| item.weight >= least && !cx.was_refused(item);
        items.extend(smaller.filter(is_new).take(SMALLER_NODES));
    }
    items
}

/// Returns whether the nodes that dominate one and hardly more tell nothing of it: too few were
/// refused.
fn is_open(cx: &PassContext<'_>, graph: &ElementGraph<'_>, number: usize) -> bool {
    let refused = graph.hardly_more(number).filter(|&more| was_refused(cx, graph, more));
    refused.take(CHAIN_TRIED).count() < CHAIN_TRIED
}

fn was_refused(cx: &PassContext<'_>, graph: &ElementGraph<'_>, number: usize) -> bool {
    cx.was_refused(&graph.item(number, Edits::none(), 0))
}
