//! Declares a local variable or a parameter outside of its function, or a parameter inside of it. Where the outside needs no type
//! for the least one, or no initial value, that alone is smaller; an argument goes along with its
//! parameter.

use minirepro_syntax::{Change, Edits, NodeId, Piece};

use crate::declared::{declared_name, least_types, leaves_without, text_of, values};
use crate::parameters::arguments_for;
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "globals";

/// One or two items per declaration inside of a function, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let tree = input.tree;
    let mut items = Vec::new();
    for function in tree.ids().rev().filter(|&id| input.is("function", id)) {
        let local = |&id: &NodeId| input.is("parameter", id) || is_local(input, id);
        let inside: Vec<NodeId> = tree.subtree(function).filter(local).collect();
        items.extend(inside.into_iter().rev().flat_map(|id| all_items(input, function, id)));
    }
    Proposal::new(input.fresh(items), Strategy::All)
}

fn is_local(input: &Input<'_>, id: NodeId) -> bool {
    let parent = input.tree.parent(id);
    input.is("declaration", id) && parent.is_some_and(|p| input.is("body", p))
}

/// What a pointer points to, then without initial values (outside, what has none is not left to
/// chance), then as it is; at last a parameter as a variable inside.
fn all_items(input: &Input<'_>, function: NodeId, declaration: NodeId) -> Vec<Item> {
    let values: Vec<NodeId> = values(input, declaration).collect();
    // A parameter can do without its type as well: only what is passed for it makes a difference.
    let passed: u32 = arguments_for(input, declaration).iter().map(|&a| input.tree.tokens(a)).sum();
    let wins = !input.is("parameter", declaration) || passed >= 2;
    let out = |without: &[NodeId]| {
        wins.then(|| moved_out(input, function, declaration, without)).flatten()
    };
    let all = [
        target(input, function, declaration),
        (!values.is_empty()).then(|| out(&values)).flatten(),
        out(&[]),
        local(input, function, declaration),
    ];
    all.into_iter().flatten().collect()
}

/// A parameter as a variable of its function, so that nothing need be passed for it.
fn local(input: &Input<'_>, function: NodeId, declaration: NodeId) -> Option<Item> {
    let tree = input.tree;
    if !input.is("parameter", declaration) || tree.tokens(declaration) < 2 {
        return None;
    }
    declared_name(input, declaration)?;
    let body = tree.children(function).find(|&c| input.is("body", c))?;
    let open = tree.children(body).next().filter(|&c| tree.is_leaf(c))?;
    let own = [tree.text_of(open), b" ", tree.text_of(declaration), input.sign("end")?].concat();
    moved(input, declaration, open, Change::put(own, None))
}

/// The variable that a pointer points to in the pointer's place.
fn target(input: &Input<'_>, function: NodeId, declaration: NodeId) -> Option<Item> {
    let tree = input.tree;
    let name = declared_name(input, declaration)?;
    let pointer = tree.parent(name).filter(|&p| input.is("pointer", p))?;
    let mut without: Vec<NodeId> = values(input, declaration).collect();
    without.extend(tree.children(pointer).filter(|&c| !tree.is_named(c)));
    let mut item = moved_out(input, function, declaration, &without)?;
    for &mention in &input.index().names[tree.text_of(name)] {
        let level = tree.parent(mention).filter(|&p| input.is("dereference", p));
        if let Some(level) = level.filter(|&p| input.elements(p).next() == Some(mention)) {
            item.weight += tree.tokens(level) - tree.tokens(mention);
            if !item.edits.add(level, Change::hoist(mention)) {
                return None;
            }
        }
    }
    Some(item)
}

/// The declaration before its function, without some of its parts.
fn moved_out(
    input: &Input<'_>,
    function: NodeId,
    declaration: NodeId,
    without: &[NodeId],
) -> Option<Item> {
    let text = outside(input, declaration, without)?;
    let both = Change(vec![Piece::Text(text.into(), None), Piece::Node(function)]);
    moved(input, declaration, function, both)
}

/// The declaration goes, with what is passed for it, and `change` puts it elsewhere.
fn moved(input: &Input<'_>, declaration: NodeId, place: NodeId, change: Change) -> Option<Item> {
    let arguments = arguments_for(input, declaration);
    let mut edits = Edits::drop_all(arguments.into_iter().chain([declaration]));
    let weight = edits.iter().map(|(id, _)| input.tree.tokens(id)).sum();
    edits.add(place, change).then(|| Item::new(edits, weight))
}

/// The declaration as it stands outside of functions, where the least type need not be said; `None`
/// without a name.
pub(crate) fn outside(
    input: &Input<'_>,
    declaration: NodeId,
    without: &[NodeId],
) -> Option<Vec<u8>> {
    declared_name(input, declaration)?;
    let without: Vec<NodeId> =
        least_types(input, declaration).chain(without.iter().copied()).collect();
    let mut text = text_of(input, &leaves_without(input, declaration, &without));
    if input.is("parameter", declaration) {
        text.extend_from_slice(input.sign("end")?);
    }
    Some(text)
}
