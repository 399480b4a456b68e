//! Keeps only what a tool demands in its messages: declarations, bodies, members and statements all
//! go at first, or all that a compiler says nothing refers to, and those come back whose names it
//! misses.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use minirepro_syntax::{Edits, FieldRole, NodeId, Role};

use crate::framework::limits::{FEW, LATE_TEXT};
use crate::framework::views::declares;
use crate::graph::holders::{Holders, number};
use crate::graph::parts::{Part, plain_name, sign, specialises, with_attributes};
use crate::{Item, PassContext, Plan, Proposal, Supplied};

/// See [`Supplied::by_name`].
type Suppliers = HashMap<Arc<[u8]>, [Vec<u32>; 4]>;

/// Proposes everything, last first, as long as hardly any was proposed before.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let total = cx.tokens(NodeId::ROOT);
    if total < LATE_TEXT || !cx.language.roles.is_played(Role::Function) {
        return None;
    }
    let all = with_statements(cx);
    let mut weights: Vec<u32> = all.iter().map(|part| cx.tokens(part.node)).collect();
    let mut is_local: Vec<bool> = Vec::new();
    for part in &all {
        if let Some(outer) = part.outer {
            weights[outer] = weights[outer].saturating_sub(cx.tokens(part.node));
        }
        is_local.push(part.outer.is_some_and(|outer| all[outer].is_body || is_local[outer]));
    }
    is_local.reverse();
    // The last one comes first: uses before definitions.
    let place = |part: usize| number(all.len() - 1 - part);
    let by_name = suppliers(cx, &all, place);
    let outer = all.iter().rev().map(|part| part.outer.map(place)).collect();
    let items = all.into_iter().zip(weights).rev();
    let items: Vec<Item> = items.map(|(part, weight)| Item::new(part.edits, weight)).collect();
    let weight: u32 = items.iter().map(|item| item.weight).sum();
    let is_much = items.len() > FEW && weight >= total / 2;
    let supplied = Supplied { by_name, outer, is_local };
    is_much.then(|| Proposal { supplied, ..Proposal::of(items, Plan::DEMANDED) })
}

/// Returns the parts of a text and the statements and declarations in them that were not refused,
/// in the order of the text, each with the innermost one that it stands in.
fn with_statements(cx: &PassContext<'_>) -> Vec<Part> {
    let mut all = cx.graph().parts.clone();
    let is_part = |id| all.binary_search_by_key(&id, |part: &Part| part.node).is_ok();
    let holds = |id: NodeId| cx.is_any(&[Role::Hollow, Role::Block], id);
    let roles = [Role::Statement, Role::Declaration, Role::Function];
    let inner = cx.ids().filter(|&id| cx.is_any(&roles, id) && cx.parent(id).is_some_and(holds));
    // A namespace is only where something stands: without it, that has no place.
    let inner = inner.filter(|&id| !cx.is(Role::Namespace, id) && cx.is_droppable(id));
    // A sign alone may belong to what stands before it.
    let inner = inner.filter(|&id| cx.tokens(id) > 1 && !is_part(id));
    let none = HashSet::new();
    let part = |id| Part::new(id, Edits::drop_all(with_attributes(cx, id, &none)));
    let inner: Vec<Part> = inner.map(part).collect();
    all.extend(inner);
    all.retain(|part| !cx.was_refused(&Item::new(part.edits.clone(), 0)));
    all.sort_by_key(|part| part.node);
    let mut open: Vec<usize> = Vec::new();
    for at in 0..all.len() {
        let node = all[at].node;
        open.retain(|&outer| cx.subtree_end(all[outer].node) > node);
        all[at].outer = open.last().copied();
        open.push(at);
    }
    all
}

/// Returns which of these parts, in the order of the text, supply each name; see [`Supplied`].
fn suppliers(cx: &PassContext<'_>, all: &[Part], place: impl Fn(usize) -> u32) -> Suppliers {
    let mut suppliers = Suppliers::new();
    let mut supply = |name: Option<NodeId>, degree: usize, part: usize| {
        let Some(name) = name else { return };
        let all = suppliers.entry(cx.text_of(name).into()).or_default();
        if all[degree].last() != Some(&place(part)) {
            all[degree].push(place(part));
        }
    };
    for (at, part) in all.iter().enumerate() {
        supply(part.member, 0, at);
        let function = part.function(cx);
        let record = cx.parent(part.node).and_then(|body| cx.parent_that(Role::Record, body));
        let record = record.filter(|_| part.member.is_none());
        if function.is_some_and(|function| is_function(cx, function)) {
            supply(record.and_then(|record| cx.name_part(record)), 3, at);
        }
        let Some(name) = function.and_then(|function| plain_name(cx, function)) else { continue };
        supply(sign(cx, name), usize::from(part.is_body), at);
        let declarator = cx.parent(name).filter(|_| part.is_body);
        if declarator.is_some_and(|id| cx.part(id, FieldRole::Parameters).is_some()) {
            supply(cx.names_in(name).last(), 1, at);
        }
    }
    let holders = all.iter().enumerate().map(|(at, part)| (part.node, at));
    let holders = Holders::of(cx, holders.collect());
    for name in cx.ids().filter(|&id| cx.is_name(id)) {
        let Some(at) = holders.get(name) else { continue };
        let Part { node, is_body, .. } = all[at];
        if !is_body && declares(cx, node, name) {
            supply(Some(name), 0, at);
        } else if !is_body && specialises(cx, node, name) {
            // Only some of them are used.
            supply(Some(name), 1, at);
        } else if cx.mentions(name).first() == Some(&name) {
            supply(Some(name), 2, at);
        }
    }
    suppliers
}

/// Returns whether a declaration is that of a function.
fn is_function(cx: &PassContext<'_>, declaration: NodeId) -> bool {
    let mut parts = cx.subtree(declaration).take_while(|&id| !cx.is(Role::Block, id));
    parts.any(|id| cx.part(id, FieldRole::Parameters).is_some())
}
