//! Makes a function return nothing: all its values go, and every call that is a value becomes the
//! least one, with the call before its statement.

use minirepro_syntax::{Change, Edits, NodeId, Piece};

use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "returns";

/// One item per function that returns values, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let functions = input.tree.ids().rev().filter(|&id| input.is("function", id));
    let items = functions.filter_map(|id| item(input, id)).collect();
    Proposal::new(input.fresh(items), Strategy::All)
}

fn item(input: &Input<'_>, function: NodeId) -> Option<Item> {
    let tree = input.tree;
    let returns = tree.subtree(function).filter(|&id| input.is("return", id));
    let values: Vec<NodeId> = returns.filter_map(|id| input.elements(id).next()).collect();
    let list = tree.subtree(function).find(|&id| input.is("parameters", id))?;
    let name = tree
        .subtree(function)
        .find(|&id| id < list && input.is_name(id) && !input.is("type", id))?;
    let mut edits = Edits::drop_all(values.iter().copied());
    let mut weight: u32 = values.iter().map(|&v| tree.tokens(v)).sum();
    for &mention in input.index().names[tree.text_of(name)].iter().filter(|&&m| m != name) {
        let Some(call) = tree.parent(mention).filter(|&p| input.is("call", p)) else { continue };
        if tree.parent(call).is_some_and(|p| input.is("expression_statement", p)) {
            continue;
        }
        weight += alone(input, call, &mut edits)?;
    }
    // A function without a type is as good as one that returns nothing.
    let nothing = input.sign("nothing")?;
    if let Some(of) = tree.children(function).find(|&c| input.is("type", c))
        && tree.text_of(of) != nothing
        && !edits.add(of, Change::put(nothing, Some(tree.kind(of))))
    {
        return None;
    }
    (!values.is_empty()).then(|| Item::new(edits, weight))
}

/// The statement that holds the call becomes the call; how many tokens that wins.
fn alone(input: &Input<'_>, call: NodeId, edits: &mut Edits) -> Option<u32> {
    let tree = input.tree;
    let statement = tree.ancestors(call).find(|&a| input.is("expression_statement", a))?;
    let change = Change(vec![Piece::Node(call), Piece::Text(input.sign("end")?.into(), None)]);
    let won = tree.tokens(statement).saturating_sub(tree.tokens(call) + 1);
    edits.add(statement, change).then_some(won)
}
