//! Declares a local variable or a parameter outside of its function, or a parameter inside of it. Where the outside needs no type
//! for the least one (as in C), or no initial value, that alone is smaller; an argument goes along with its
//! parameter.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::framework::declarations::{declared_name, least_types, leaves_without, text_of, values};
use crate::framework::function_parts::arguments_for;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "local-to-global";

/// Proposes one or two items per declaration inside of a function, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let mut items = Vec::new();
    for function in context.ids().rev().filter(|&id| context.is(Role::Function, id)) {
        let local = |&id: &NodeId| context.is(Role::Parameter, id) || is_local(context, id);
        let inside: Vec<NodeId> = tree.subtree(function).filter(local).collect();
        items.extend(inside.into_iter().rev().flat_map(|id| all_items(context, function, id)));
    }
    Proposal::new(context.untried(items), Strategy::All)
}

fn is_local(context: &PassContext<'_>, id: NodeId) -> bool {
    let parent = context.tree.parent(id);
    context.is(Role::Declaration, id) && parent.is_some_and(|p| context.is(Role::Block, p))
}

/// Returns the ways to move a declaration: what a pointer points to, then without initial values
/// (outside, what has none is not left to chance), then as it is; at last a parameter as a variable
/// inside.
fn all_items(context: &PassContext<'_>, function: NodeId, declaration: NodeId) -> Vec<Item> {
    let values: Vec<NodeId> = values(context, declaration).collect();
    // A parameter can do without its type as well: only what is passed for it makes a difference.
    let passed: u32 =
        arguments_for(context, declaration).iter().map(|&a| context.tree.tokens(a)).sum();
    let wins = !context.is(Role::Parameter, declaration) || passed >= 2;
    let out = |without: &[NodeId]| {
        wins.then(|| moved_out(context, function, declaration, without)).flatten()
    };
    let all = [
        target(context, function, declaration),
        (!values.is_empty()).then(|| out(&values)).flatten(),
        out(&[]),
        local(context, function, declaration),
    ];
    all.into_iter().flatten().collect()
}

/// Returns a parameter as a variable of its function, so that nothing need be passed for it.
fn local(context: &PassContext<'_>, function: NodeId, declaration: NodeId) -> Option<Item> {
    let tree = context.tree;
    if !context.is(Role::Parameter, declaration) || tree.tokens(declaration) < 2 {
        return None;
    }
    declared_name(context, declaration)?;
    let body = context.part(function, FieldRole::Body).filter(|&b| context.is(Role::Block, b))?;
    let open = tree.children(body).next().filter(|&c| tree.is_leaf(c))?;
    let own = [
        tree.text_of(open),
        b" ",
        tree.text_of(declaration),
        context.tokens().statement_end.as_deref()?,
    ]
    .concat();
    moved(context, declaration, open, Change::replace_with(own, None))
}

/// Returns the variable that a pointer points to in the pointer's place.
fn target(context: &PassContext<'_>, function: NodeId, declaration: NodeId) -> Option<Item> {
    let tree = context.tree;
    let name = declared_name(context, declaration)?;
    let pointer = tree.parent(name).filter(|&p| context.is(Role::Pointer, p))?;
    let mut without: Vec<NodeId> = values(context, declaration).collect();
    without.extend(tree.children(pointer).filter(|&c| !tree.is_named(c)));
    let mut item = moved_out(context, function, declaration, &without)?;
    for &mention in context.mentions(name) {
        let level = tree.parent(mention).filter(|&p| context.is(Role::Dereference, p));
        if let Some(level) = level.filter(|&p| context.elements(p).next() == Some(mention)) {
            item.weight += tree.tokens(level) - tree.tokens(mention);
            if !item.edits.add(level, Change::hoist(mention)) {
                return None;
            }
        }
    }
    Some(item)
}

/// Returns the declaration before its function, without some of its parts.
fn moved_out(
    context: &PassContext<'_>,
    function: NodeId,
    declaration: NodeId,
    without: &[NodeId],
) -> Option<Item> {
    let text = outside(context, declaration, without)?;
    let both = Change(vec![Piece::Text(text.into(), None), Piece::Node(function)]);
    moved(context, declaration, function, both)
}

/// Drops the declaration with everything that is passed for it, and lets `change` put it elsewhere.
fn moved(
    context: &PassContext<'_>,
    declaration: NodeId,
    place: NodeId,
    change: Change,
) -> Option<Item> {
    let arguments = arguments_for(context, declaration);
    let mut edits = Edits::drop_all(arguments.into_iter().chain([declaration]));
    let weight = edits.iter().map(|(id, _)| context.tree.tokens(id)).sum();
    edits.add(place, change).then(|| Item::new(edits, weight))
}

/// Returns the declaration as it stands outside of functions, where the least type need not be said;
/// `None` without a name.
pub(crate) fn outside(
    context: &PassContext<'_>,
    declaration: NodeId,
    without: &[NodeId],
) -> Option<Vec<u8>> {
    declared_name(context, declaration)?;
    let implied = least_types(context, declaration).filter(|_| context.tokens().implied_type);
    let without: Vec<NodeId> = implied.chain(without.iter().copied()).collect();
    let mut text = text_of(context, &leaves_without(context, declaration, &without));
    if context.is(Role::Parameter, declaration) {
        text.extend_from_slice(context.tokens().statement_end.as_deref()?);
    }
    Some(text)
}
