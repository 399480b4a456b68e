//! Drops a part of a large text with all that is there only for its sake: the functions that only
//! it calls, the types that only these use, and so on, whatever namespaces they stand in.

use std::cmp::Reverse;

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::limits::{DOMINATED_SHARE, DOMINATORS, DOMINATORS_TRIED};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the declarations that nothing else needs, as far as they were not refused.
pub(crate) fn roots(cx: &PassContext<'_>) -> Option<Proposal> {
    cx.language.roles.is_played(Role::Namespace).then_some(())?;
    Proposal::new(with_dominated(cx, cx.graph().roots(cx)), Plan::HALVES)
}

/// Proposes the same, then the parts with which most goes.
pub(crate) fn largest(cx: &PassContext<'_>) -> Option<Proposal> {
    cx.language.roles.is_played(Role::Namespace).then_some(())?;
    roots(cx).or_else(|| {
        let least = cx.tokens(NodeId::ROOT) / DOMINATED_SHARE;
        let mut items = with_dominated(cx, cx.graph().dominating(cx, least));
        items.truncate(DOMINATORS_TRIED);
        Proposal::new(items, Plan::EACH)
    })
}

/// Returns those of the parts that were not refused, each with what is there only for its sake,
/// heaviest first.
fn with_dominated(cx: &PassContext<'_>, numbers: Vec<usize>) -> Vec<Item> {
    let graph = cx.graph();
    let is_new = |&number: &usize| !cx.was_refused(&graph.item(number, Edits::none(), 0));
    let new = cx.until(numbers.into_iter().filter(is_new).take(DOMINATORS));
    let mut items: Vec<Item> = new.filter_map(|number| graph.loss(cx, number)).collect();
    items.sort_by_key(|item| Reverse(item.weight));
    items
}
