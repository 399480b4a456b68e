//! Makes a function return nothing: all its values go, and every call that is a value becomes the
//! least one, with the call before its statement.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::framework::function_parts::FunctionParts;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "return-void";

/// Proposes one item per function that returns values, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let functions = context.ids().rev().filter(|&id| context.is(Role::Function, id));
    let both = |id| [item(context, id, None), last(context, id)].into_iter().flatten();
    let items = functions.flat_map(both).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

/// Returns the item that also takes away the statement at the end that leaves the function.
fn last(context: &PassContext<'_>, function: NodeId) -> Option<Item> {
    let body = FunctionParts::of(context, function)?.body?;
    let last = context.elements(body).last().filter(|&id| context.is(Role::Return, id))?;
    item(context, function, Some(last))
}

fn item(context: &PassContext<'_>, function: NodeId, last: Option<NodeId>) -> Option<Item> {
    let tree = context.tree;
    let returns = tree.subtree(function).filter(|&id| context.is(Role::Return, id));
    let values = returns.filter_map(|id| context.elements(id).next().filter(|_| Some(id) != last));
    let values: Vec<NodeId> = values.chain(last).collect();
    let name = FunctionParts::of(context, function)?.name;
    let mut edits = Edits::drop_all(values.iter().copied());
    let mut weight: u32 = values.iter().map(|&v| tree.tokens(v)).sum();
    for &mention in context.mentions(name).iter().filter(|&&m| m != name) {
        let Some(call) = tree.parent(mention).filter(|&p| context.is(Role::Call, p)) else {
            continue;
        };
        if tree.parent(call).is_some_and(|p| context.is(Role::ExpressionStatement, p)) {
            continue;
        }
        weight += alone(context, call, &mut edits)?;
    }
    // A function without a type is as good as one that returns nothing.
    let nothing = context.tokens().void.as_deref()?;
    if let Some(of) = context.part(function, FieldRole::Type)
        && tree.text_of(of) != nothing
        && !edits.add(of, Change::replace_with(nothing, Some(tree.kind(of))))
    {
        return None;
    }
    (!values.is_empty()).then(|| Item::new(edits, weight))
}

/// Replaces the statement that holds the call by the call, and returns how many tokens that saves.
fn alone(context: &PassContext<'_>, call: NodeId, edits: &mut Edits) -> Option<u32> {
    let tree = context.tree;
    let statement = tree.ancestors(call).find(|&a| context.is(Role::ExpressionStatement, a))?;
    let change = Change(vec![
        Piece::Node(call),
        Piece::Text(context.tokens().statement_end.as_deref()?.into(), None),
    ]);
    let won = tree.tokens(statement).saturating_sub(tree.tokens(call) + 1);
    edits.add(statement, change).then_some(won)
}
