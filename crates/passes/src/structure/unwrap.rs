//! Drops nodes of some kinds all over the text, one level of nesting after the other: what lists
//! that look alike can all do without goes in a few questions (HDD, Misherghi & Su, ICSE'06). What
//! must stay of a level is unwrapped where possible: the brackets go, their contents stay.
//!
//! The kinds are those of the language's roles `layer` (nested) and `loose` (few at a time matter,
//! wherever they stand).

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::slots::{Place, inner_children};
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes the uppermost level that has two or more nodes with something new to try, last node
/// first; then what is loose.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.is_sweep() {
        return None;
    }
    let layers = by_level(context);
    layers.into_iter().chain([loose(context)]).find_map(|layer| {
        let drop = |&id: &NodeId| Item::new(Edits::drop(id), context.tree.tokens(id));
        let pooled = |items| {
            let items = context.untried(items);
            if items.len() > 1 { Proposal::new(items, Strategy::All) } else { None }
        };
        pooled(layer.iter().rev().map(drop).collect())
            .or_else(|| pooled(layer.iter().rev().filter_map(|&id| unwrap(context, id)).collect()))
    })
}

/// Replaces a node by what it holds.
fn unwrap(context: &PassContext<'_>, id: NodeId) -> Option<Item> {
    let tree = context.tree;
    let inner = inner_children(context, id);
    let kinds = inner.iter().filter(|&&c| !tree.flags(c).extra).map(|&c| tree.kind(c));
    let fits = !inner.is_empty() && Place::of(context, id).takes(kinds);
    let left: u32 = inner.iter().map(|&c| tree.tokens(c)).sum();
    fits.then(|| Item::new(Edits::one(id, Change::splice(inner)), tree.tokens(id) - left))
}

/// Nodes that can be dropped, by how many of their kind they stand in.
fn by_level(context: &PassContext<'_>) -> Vec<Vec<NodeId>> {
    let mut layers: Vec<Vec<NodeId>> = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in context.until(context.playing(Role::Layer)) {
        while open.last().is_some_and(|&end| end <= id) {
            open.pop();
        }
        if layers.len() <= open.len() {
            layers.push(Vec::new());
        }
        if context.is_droppable(id) {
            layers[open.len()].push(id);
        }
        open.push(context.tree.subtree_end(id));
    }
    layers
}

fn loose(context: &PassContext<'_>) -> Vec<NodeId> {
    let all = context.until(context.playing(Role::Loose));
    all.filter(|&id| context.is_droppable(id)).collect()
}
