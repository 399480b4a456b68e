//! Declares a local variable or a parameter outside of its function. Where the outside needs no type
//! for the least one, that alone is smaller; an argument goes along with its parameter.

use minirepro_syntax::{Change, Edits, NodeId, Piece};

use crate::parameters::{arguments_for, declared_name};
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "globals";

/// One item per declaration inside of a function, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let tree = input.tree;
    let mut items = Vec::new();
    for function in tree.ids().rev().filter(|&id| input.is("function", id)) {
        let local = |&id: &NodeId| input.is("parameter", id) || is_local(input, id);
        let inside: Vec<NodeId> = tree.subtree(function).filter(local).collect();
        items.extend(inside.into_iter().rev().filter_map(|id| item(input, function, id)));
    }
    Proposal::new(input.fresh(items), Strategy::All)
}

fn is_local(input: &Input<'_>, id: NodeId) -> bool {
    let parent = input.tree.parent(id);
    input.is("declaration", id) && parent.is_some_and(|p| input.is("body", p))
}

fn item(input: &Input<'_>, function: NodeId, declaration: NodeId) -> Option<Item> {
    let tree = input.tree;
    let arguments = arguments_for(input, declaration);
    // A parameter can do without its type as well: only what is passed for it makes a difference.
    let passed: u32 = arguments.iter().map(|&a| tree.tokens(a)).sum();
    if input.is("parameter", declaration) && passed < 2 {
        return None;
    }
    let mut edits = Edits::drop_all(arguments.into_iter().chain([declaration]));
    let mut text = words(input, declaration)?;
    if input.is("parameter", declaration) {
        text.extend_from_slice(input.sign("end")?);
    }
    let outside = Change(vec![Piece::Text(text.into(), None), Piece::Node(function)]);
    let weight = edits.iter().map(|(id, _)| tree.tokens(id)).sum();
    edits.add(function, outside).then(|| Item::new(edits, weight))
}

/// The declaration's words without its type, if that is the least one; `None` without a name.
pub(crate) fn words(input: &Input<'_>, declaration: NodeId) -> Option<Vec<u8>> {
    let tree = input.tree;
    let is_least = |id: NodeId| {
        let least = input.language.roles.least.get(&tree.kind(id));
        input.is("type", id)
            && least
                .and_then(|texts| texts.first())
                .is_some_and(|(text, _)| **text == *tree.text_of(id))
    };
    let parts = tree.children(declaration).filter(|&c| !is_least(c));
    let leaves = parts.flat_map(|part| tree.subtree(part)).filter(|&id| tree.is_leaf(id));
    let mut text = Vec::new();
    for leaf in leaves {
        text.extend_from_slice(tree.text_of(leaf));
        text.push(b' ');
    }
    declared_name(input, declaration).map(|_| text)
}
