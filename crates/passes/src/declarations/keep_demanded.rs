//! Keeps only what a tool demands in its messages: declarations, bodies, members and statements all
//! go at first, or all that a compiler says nothing refers to, and those come back whose names it
//! misses.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::declaration_parts::{drop_with_attribute, parts};
use crate::framework::limits::{FEW, LATE_TEXT};
use crate::framework::suppliers::{Supplier, suppliers};
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
        by_name: suppliers(
            context,
            entries.iter().enumerate().map(|(at, entry)| Supplier {
                node: entry.node,
                is_body: entry.is_body,
                member: entry.member,
                number: number(at),
            }),
        ),
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
