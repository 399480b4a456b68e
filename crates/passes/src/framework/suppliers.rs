//! Which parts of a text say what a name means: those that come back when a tool misses it.

use std::collections::HashMap;
use std::sync::Arc;

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::declaration_parts::{inner_declaration, plain_name};
use crate::framework::declarations::declares;
use crate::framework::definitions::{sign, specialises};

/// A part that can go by itself.
pub(crate) struct Supplier {
    pub(crate) node: NodeId,
    pub(crate) is_body: bool,
    /// The name of a function of a record.
    pub(crate) member: Option<NodeId>,
    /// Its number among the items of a proposal.
    pub(crate) number: u32,
}

/// Returns which of these parts, in the order of the text, supply each name; see [`Supplied`](crate::Supplied).
pub(crate) fn suppliers(
    context: &PassContext<'_>,
    all: impl Iterator<Item = Supplier>,
) -> HashMap<Arc<[u8]>, [Vec<u32>; 4]> {
    let tree = context.tree;
    let mut suppliers: HashMap<Arc<[u8]>, [Vec<u32>; 4]> = HashMap::new();
    let mut supply = |name: &[u8], degree: usize, entry: u32| {
        let all = suppliers.entry(name.into()).or_default();
        if all[degree].last() != Some(&entry) {
            all[degree].push(entry);
        }
    };
    let mut holders: Vec<Option<u32>> = vec![None; tree.len()];
    let mut nodes: HashMap<u32, (NodeId, bool)> = HashMap::new();
    for entry in all {
        let at = entry.number;
        nodes.insert(at, (entry.node, entry.is_body));
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
        let (node, is_body) = nodes[&at];
        if !is_body && declares(context, node, name) {
            supply(tree.text_of(name), 0, at);
        } else if !is_body && specialises(context, node, name) {
            // Only some of them are used.
            supply(tree.text_of(name), 1, at);
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
