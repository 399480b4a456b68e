//! Keeps only what a tool demands in its messages: declarations, bodies, members and statements all
//! go at first, or all that a compiler says nothing refers to, and those come back whose names it
//! misses.

use std::collections::HashMap;
use std::sync::Arc;

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::framework::declarations::declares;
use crate::framework::limits::{FEW, LATE_TEXT};
use crate::graph::definitions::{sign, specialises};
use crate::graph::digraph::{Holders, number};
use crate::graph::parts::{Part, drop_with_attribute, inner_declaration, plain_name};
use crate::{Item, PassContext, Proposal, Strategy, Supplied};

/// Proposes everything, last first, as long as hardly any was proposed before.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let total = cx.tokens(NodeId::ROOT);
    if total < LATE_TEXT || !cx.language.roles.is_played(Role::Function) {
        return None;
    }
    let all = with_statements(cx);
    let mut weights: Vec<u32> = all.iter().map(|part| cx.tokens(part.node)).collect();
    let mut needs = vec![Vec::new(); all.len()];
    let mut is_local: Vec<bool> = Vec::new();
    // The last one comes first: uses before definitions.
    let place = |part: usize| number(all.len() - 1 - part);
    for (at, part) in all.iter().enumerate() {
        needs[at].extend(part.outer.into_iter().chain(part.header).map(place));
        if let Some(outer) = part.outer {
            weights[outer] = weights[outer].saturating_sub(cx.tokens(part.node));
        }
        is_local.push(part.outer.is_some_and(|outer| all[outer].is_body || is_local[outer]));
    }
    is_local.reverse();
    let mut by_name = suppliers(cx, &all);
    for part in by_name.values_mut().flatten().flatten() {
        *part = place(*part as usize);
    }
    let outer = all.iter().rev().map(|part| part.outer.map(place)).collect();
    let items = all.into_iter().zip(weights).rev();
    let items = items.map(|(part, weight)| Item::new(part.edits, weight)).collect();
    let mut proposal = Proposal::of(items, Strategy::Demanded);
    proposal.needs = needs.into_iter().rev().collect();
    proposal.supplied = Supplied { by_name, outer, is_local };
    proposal.retain(|item| !cx.was_refused(item));
    let weight: u32 = proposal.items.iter().map(|item| item.weight).sum();
    (proposal.items.len() > FEW && weight >= total / 2).then_some(proposal)
}

/// Returns the parts of a text and the statements and declarations in their bodies, in the order of
/// the text, each with the innermost one that it stands in.
fn with_statements(cx: &PassContext<'_>) -> Vec<Part> {
    let mut all = cx.parts().all.clone();
    let headers: Vec<Option<NodeId>> =
        all.iter().map(|part| part.header.map(|header| all[header].node)).collect();
    let position =
        |all: &[Part], node: NodeId| all.binary_search_by_key(&node, |part| part.node).ok();
    let holds = |id: NodeId| {
        let holder = cx.parent(id);
        holder.is_some_and(|id| cx.is(Role::Hollow, id) || cx.is(Role::Block, id))
    };
    let roles = [Role::Statement, Role::Declaration, Role::Function];
    let is_whole = |id: NodeId| roles.into_iter().any(|role| cx.is(role, id));
    let inner = cx.ids().filter(|&id| is_whole(id) && holds(id));
    // A namespace is only where something stands: without it, that has no place.
    let inner = inner.filter(|&id| !cx.is(Role::Namespace, id) && cx.is_droppable(id));
    // A sign alone may belong to what stands before it.
    let inner = inner.filter(|&id| cx.tokens(id) > 1 && position(&all, id).is_none());
    let inner: Vec<Part> =
        inner.map(|node| Part::new(node, drop_with_attribute(cx, node))).collect();
    let headers: HashMap<NodeId, NodeId> =
        all.iter().zip(headers).filter_map(|(part, header)| Some((part.node, header?))).collect();
    all.extend(inner);
    all.sort_by_key(|part| part.node);
    let mut open: Vec<usize> = Vec::new();
    for at in 0..all.len() {
        let node = all[at].node;
        open.retain(|&outer| cx.subtree_end(all[outer].node) > node);
        all[at].outer = open.last().copied();
        all[at].header = headers.get(&node).and_then(|&header| position(&all, header));
        open.push(at);
    }
    all
}

/// Returns which of these parts, in the order of the text, supply each name; see [`Supplied`].
fn suppliers(cx: &PassContext<'_>, all: &[Part]) -> HashMap<Arc<[u8]>, [Vec<u32>; 4]> {
    let mut suppliers: HashMap<Arc<[u8]>, [Vec<u32>; 4]> = HashMap::new();
    let mut supply = |name: NodeId, degree: usize, part: usize| {
        let all = suppliers.entry(cx.text_of(name).into()).or_default();
        if all[degree].last() != Some(&number(part)) {
            all[degree].push(number(part));
        }
    };
    let mut holders = Holders::none(cx.len());
    for (at, part) in all.iter().enumerate() {
        holders.set(part.node..cx.subtree_end(part.node), at);
        if let Some(name) = part.member {
            supply(name, 0, at);
        }
        let function = match part.is_body {
            true => cx.parent(part.node),
            false => inner_declaration(cx, part.node),
        };
        let record = cx.parent(part.node).and_then(|body| cx.parent(body));
        let record = record.filter(|&record| cx.is(Role::Record, record));
        if let Some(name) = record.and_then(|record| cx.name_part(record))
            && part.member.is_none()
            && function.is_some_and(|function| is_function(cx, function))
        {
            supply(name, 3, at);
        }
        let Some(name) = function.and_then(|function| plain_name(cx, function)) else {
            continue;
        };
        if let Some(sign) = sign(cx, name) {
            supply(sign, usize::from(part.is_body), at);
        }
        let declarator = cx.parent(name).filter(|_| part.is_body);
        let has_parameters =
            declarator.is_some_and(|id| cx.part(id, FieldRole::Parameters).is_some());
        let last = cx.subtree(name).filter(|&id| cx.is_name(id)).last();
        if let Some(last) = last.filter(|_| has_parameters) {
            supply(last, 1, at);
        }
    }
    for name in cx.ids().filter(|&id| cx.is_name(id)) {
        let Some(at) = holders.get(name) else { continue };
        let Part { node, is_body, .. } = all[at];
        if !is_body && declares(cx, node, name) {
            supply(name, 0, at);
        } else if !is_body && specialises(cx, node, name) {
            // Only some of them are used.
            supply(name, 1, at);
        } else if cx.mentions(name).first() == Some(&name) {
            supply(name, 2, at);
        }
    }
    suppliers
}

/// Returns whether a declaration is that of a function.
fn is_function(cx: &PassContext<'_>, declaration: NodeId) -> bool {
    let mut parts = cx.subtree(declaration).take_while(|&id| !cx.is(Role::Block, id));
    parts.any(|id| cx.part(id, FieldRole::Parameters).is_some())
}
