//! Makes a function return nothing: all its values go, and every call that is a value becomes the
//! least one, with the call before its statement.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::framework::function_parts::FunctionParts;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "return-void";

/// Proposes one item per function that returns values, last first; then one for each statement of the other
/// functions that have a type, which goes along: it may have kept them from ending without a value.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let functions = || context.ids().rev().filter(|&id| context.is(Role::Function, id));
    let without_values: Vec<Item> = functions().filter_map(|id| item(context, id, None)).collect();
    let without_statements = || functions().flat_map(|id| without_statement(context, id));
    if context.is_sweep() {
        let all = without_values.into_iter().chain(without_statements());
        return Proposal::new(all.collect(), Strategy::Single);
    }
    Proposal::new(context.untried(without_values), Strategy::All).or_else(|| {
        Proposal::new(context.untried(without_statements().collect()), Strategy::Single)
    })
}

/// Returns the items that also take away a statement of the function, last first.
fn without_statement(context: &PassContext<'_>, function: NodeId) -> Vec<Item> {
    let nothing = context.tokens().void.as_deref();
    let of = context.part(function, FieldRole::Type);
    let has_type = of.is_some_and(|of| Some(context.tree.text_of(of)) != nothing);
    let body = FunctionParts::of(context, function).and_then(|parts| parts.body);
    let Some(body) = body.filter(|_| has_type) else { return Vec::new() };
    let mut statements: Vec<NodeId> = context.elements(body).collect();
    statements.reverse();
    let items = statements.into_iter().filter_map(|id| item(context, function, Some(id)));
    items.take(FEW_STATEMENTS).collect()
}

/// Only the last statements say how a function ends.
const FEW_STATEMENTS: usize = 4;

/// Returns the item for a function, and one of its statements if that goes along.
fn item(context: &PassContext<'_>, function: NodeId, along: Option<NodeId>) -> Option<Item> {
    let tree = context.tree;
    let returns = tree.subtree(function).filter(|&id| context.is(Role::Return, id));
    let values = returns.filter_map(|id| context.elements(id).next().filter(|_| Some(id) != along));
    let values: Vec<NodeId> = values.chain(along).collect();
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
