//! Keeps only what a tool demands in its messages: declarations, bodies, members and statements all
//! go at first, or all that a compiler says nothing refers to, and those come back whose names it
//! misses.

use std::collections::HashMap;
use std::sync::Arc;

use minirepro_syntax::{Edits, FieldRole, NodeId, Role};

use crate::framework::declaration_parts::{
    drop_with_attribute, inner_declaration, parts, plain_name,
};
use crate::framework::declarations::declares;
use crate::framework::definitions::sign;
use crate::framework::limits::{FEW, LATE_TEXT};
use crate::{Item, PassContext, Proposal, Strategy, Supplied};

/// The pass's name.
pub const NAME: &str = "keep-demanded";

/// Something that can go by itself.
struct Entry {
    node: NodeId,
    edits: Edits,
    is_body: bool,
    /// The name of a function of a record.
    member: Option<NodeId>,
    /// The entry that holds the markers of its header.
    header: Option<NodeId>,
    /// The innermost entry that it stands in.
    outer: Option<usize>,
}

/// Proposes everything, last first, as long as hardly any was proposed before.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let total = tree.tokens(NodeId::ROOT);
    if context.is_sweep() || total < LATE_TEXT || !context.language.roles.is_played(Role::Function)
    {
        return None;
    }
    let entries = entries(context);
    let mut weights: Vec<u32> = entries.iter().map(|entry| tree.tokens(entry.node)).collect();
    let mut needs = vec![Vec::new(); entries.len()];
    // The last entry comes first: uses before definitions.
    let number = |entry: usize| u32::try_from(entries.len() - 1 - entry).unwrap_or(u32::MAX);
    for (at, entry) in entries.iter().enumerate() {
        let header = entry.header.and_then(|node| position(&entries, node));
        needs[at].extend(entry.outer.into_iter().chain(header).map(number));
        if let Some(outer) = entry.outer {
            weights[outer] = weights[outer].saturating_sub(tree.tokens(entry.node));
        }
    }
    let mut is_local: Vec<bool> = Vec::new();
    for entry in &entries {
        is_local.push(entry.outer.is_some_and(|outer| entries[outer].is_body || is_local[outer]));
    }
    is_local.reverse();
    let supplied = Supplied {
        is_local,
        by_name: suppliers(context, &entries, number),
        outer: entries.iter().rev().map(|entry| entry.outer.map(number)).collect(),
    };
    let items = entries.into_iter().zip(weights).rev();
    let items = items.map(|(entry, weight)| Item::new(entry.edits, weight)).collect();
    let mut proposal = Proposal::of(items, Strategy::Demanded);
    proposal.needs = needs.into_iter().rev().collect();
    proposal.supplied = supplied;
    proposal.retain(|item| !context.was_refused(item));
    let weight: u32 = proposal.items.iter().map(|item| item.weight).sum();
    (proposal.items.len() > FEW && weight >= total / 2).then_some(proposal)
}

fn position(entries: &[Entry], node: NodeId) -> Option<usize> {
    entries.binary_search_by_key(&node, |entry| entry.node).ok()
}

/// Returns the entries in the order of the text.
fn entries(context: &PassContext<'_>) -> Vec<Entry> {
    let tree = context.tree;
    let parts = parts(context);
    let headers: Vec<Option<NodeId>> =
        parts.iter().map(|part| part.header.map(|header| parts[header].node)).collect();
    let mut entries: Vec<Entry> = parts
        .into_iter()
        .zip(headers)
        .map(|(part, header)| Entry {
            node: part.node,
            edits: part.edits,
            is_body: part.is_body,
            member: part.member,
            header,
            outer: None,
        })
        .collect();
    let count = entries.len();
    let holds = |id: NodeId| {
        let holder = tree.parent(id);
        holder.is_some_and(|id| context.is(Role::Hollow, id) || context.is(Role::Block, id))
    };
    let roles = [Role::Statement, Role::Declaration, Role::Function];
    let is_whole = |id: NodeId| roles.into_iter().any(|role| context.is(role, id));
    let inner = context.ids().filter(|&id| is_whole(id) && holds(id));
    // A namespace is only where something stands.
    let inner = inner.filter(|&id| !context.is(Role::Namespace, id));
    let inner = inner.filter(|&id| context.is_droppable(id));
    // A sign alone may belong to what stands before it.
    let inner = inner.filter(|&id| tree.tokens(id) > 1);
    let inner = inner.filter(|&id| position(&entries[..count], id).is_none());
    let inner: Vec<Entry> = inner
        .map(|node| Entry {
            node,
            edits: drop_with_attribute(context, node),
            is_body: false,
            member: None,
            header: None,
            outer: None,
        })
        .collect();
    entries.extend(inner);
    entries.sort_by_key(|entry| entry.node);
    let mut open: Vec<usize> = Vec::new();
    for at in 0..entries.len() {
        let node = entries[at].node;
        while open.last().is_some_and(|&outer| tree.subtree_end(entries[outer].node) <= node) {
            open.pop();
        }
        entries[at].outer = open.last().copied();
        open.push(at);
    }
    // Without its namespace, what stands in it has no place; but a namespace is no entry.
    entries
}

/// Returns which entries supply each name, by their numbers.
fn suppliers(
    context: &PassContext<'_>,
    entries: &[Entry],
    number: impl Fn(usize) -> u32,
) -> HashMap<Arc<[u8]>, [Vec<u32>; 4]> {
    let tree = context.tree;
    let mut suppliers: HashMap<Arc<[u8]>, [Vec<u32>; 4]> = HashMap::new();
    let mut supply = |name: &[u8], degree: usize, entry: usize| {
        let all = suppliers.entry(name.into()).or_default();
        let entry = number(entry);
        if all[degree].last() != Some(&entry) {
            all[degree].push(entry);
        }
    };
    let mut holders: Vec<Option<usize>> = vec![None; tree.len()];
    for (at, entry) in entries.iter().enumerate() {
        let end = tree.subtree_end(entry.node);
        holders[entry.node.0 as usize..end.0 as usize].fill(Some(at));
        if let Some(name) = entry.member {
            supply(tree.text_of(name), 0, at);
        }
        let function = match entry.is_body {
            true => tree.parent(entry.node),
            false => inner_declaration(context, entry.node),
        };
        let record = tree.parent(entry.node).and_then(|body| tree.parent(body));
        let record = record.filter(|&record| context.is(Role::Record, record));
        if let Some(name) = record.and_then(|record| context.name_part(record))
            && entry.member.is_none()
            && function.is_some_and(|function| is_function(context, function))
        {
            supply(tree.text_of(name), 3, at);
        }
        let Some(name) = function.and_then(|function| plain_name(context, function)) else {
            continue;
        };
        if let Some(sign) = sign(context, name) {
            supply(tree.text_of(sign), usize::from(entry.is_body), at);
        }
        let declarator = tree.parent(name).filter(|_| entry.is_body);
        let has_parameters =
            declarator.is_some_and(|id| context.part(id, FieldRole::Parameters).is_some());
        let last = tree.subtree(name).filter(|&id| context.is_name(id)).last();
        if let Some(last) = last.filter(|_| has_parameters) {
            supply(tree.text_of(last), 1, at);
        }
    }
    for name in context.ids().filter(|&id| context.is_name(id)) {
        let Some(at) = holders[name.0 as usize] else { continue };
        if !entries[at].is_body && declares(context, entries[at].node, name) {
            supply(tree.text_of(name), 0, at);
        } else if context.mentions(name).first() == Some(&name) {
            supply(tree.text_of(name), 2, at);
        }
    }
    suppliers
}

/// Returns whether a declaration is that of a function.
fn is_function(context: &PassContext<'_>, declaration: NodeId) -> bool {
    let tree = context.tree;
    let mut parts = tree.subtree(declaration).take_while(|&id| !context.is(Role::Block, id));
    parts.any(|id| context.part(id, FieldRole::Parameters).is_some())
}
