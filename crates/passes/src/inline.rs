//! Puts the body of a function in the place of its calls, where they are statements of their own,
//! and drops the function.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// More calls than this would seldom get smaller.
const FEW_CALLS: usize = 4;

/// One item per function, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let functions = input.tree.ids().rev().filter(|&id| input.is("function", id));
    let items = input.fresh(functions.filter_map(|id| item(input, id)).collect());
    Proposal::new(items, Strategy::Single)
}

fn item(input: &Input<'_>, function: NodeId) -> Option<Item> {
    let tree = input.tree;
    let body = tree.children(function).find(|&c| input.is("body", c))?;
    let parameters = tree.subtree(function).find(|&id| id < body && input.is("parameters", id))?;
    let name = tree
        .subtree(function)
        .find(|&id| id < parameters && input.is_name(id) && !input.is("type", id))?;
    let names: Vec<Option<NodeId>> = elements(input, parameters)
        .map(|p| tree.subtree(p).filter(|&n| input.is_name(n) && !input.is("type", n)).last())
        .collect();
    let mut edits = Edits::drop(function);
    let mut calls = 0;
    for &mention in &input.index().names[tree.text_of(name)] {
        if mention == name {
            continue;
        }
        let parent = tree.parent(mention)?;
        if let Some(arguments) = tree.children(parent).find(|&c| input.is("arguments", c)) {
            let statement = tree.parent(parent).filter(|&s| input.is("expression_statement", s))?;
            let arguments: Vec<NodeId> = elements(input, arguments).collect();
            let text = body_with(input, body, &names, &arguments);
            calls += 1;
            if tree.contains(function, statement) || !edits.add(statement, Change::put(text, None))
            {
                return None;
            }
        } else {
            // A declaration of the function goes; any other use forbids the whole.
            let declaration = tree.ancestors(mention).find(|&a| input.is_droppable(a))?;
            if !input.is("declaration", declaration) || !edits.add(declaration, Change::drop()) {
                return None;
            }
        }
    }
    (1..=FEW_CALLS).contains(&calls).then(|| Item::new(edits, tree.tokens(function)))
}

fn elements<'a>(input: &'a Input<'_>, list: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    let tree = input.tree;
    tree.children(list).filter(|&c| tree.is_named(c) && !tree.flags(c).extra)
}

/// The text between the body's brackets with arguments in the place of parameters.
fn body_with(
    input: &Input<'_>,
    body: NodeId,
    names: &[Option<NodeId>],
    arguments: &[NodeId],
) -> Vec<u8> {
    let tree = input.tree;
    let mut text = Vec::new();
    let leaves: Vec<NodeId> = tree.subtree(body).filter(|&id| tree.is_leaf(id)).collect();
    for &leaf in leaves.get(1..leaves.len().saturating_sub(1)).unwrap_or_default() {
        let own = tree.text_of(leaf);
        let position = input
            .is_name(leaf)
            .then(|| names.iter().position(|n| n.is_some_and(|n| tree.text_of(n) == own)));
        let argument = position.flatten().and_then(|at| arguments.get(at));
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend_from_slice(argument.map_or(own, |&a| tree.text_of(a)));
    }
    text
}
