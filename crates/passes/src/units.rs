//! What has to change so that one mention of a name goes. Knows no pass.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::Input;
use crate::parameters::arguments_for;
use crate::places::Place;

/// How much goes along with a mention that is part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The outermost expression: with its statement if that is all there is to it.
    Wide,
    /// The innermost expression that has a value without the name: what is assigned stays.
    Narrow,
}

/// Adds the edits that take the mention at `occurrence` away, as far as the grammar shows; `false`
/// when there is no way.
///
/// - Inside of an expression, an expression goes, to the least text that its place takes;
/// - a type becomes the least type;
/// - anything else goes with the smallest part that the grammar lets go; a parameter with its
///   arguments.
#[must_use]
pub(crate) fn add_unit(
    input: &Input<'_>,
    occurrence: NodeId,
    extent: Extent,
    edits: &mut Edits,
) -> bool {
    let tree = input.tree;
    let declares = tree.parent(occurrence).is_some_and(|p| input.is("declares_type", p));
    if input.is("type", occurrence)
        && !declares
        && let Some(change) = least(input, occurrence)
    {
        return edits.add(occurrence, change);
    }
    let expression = match extent {
        Extent::Wide => wide(input, occurrence),
        Extent::Narrow => narrow(input, occurrence),
    };
    if let Some((id, change)) = expression {
        return edits.add(id, change);
    }
    let above = || std::iter::once(occurrence).chain(tree.ancestors(occurrence));
    let parameter =
        above().take_while(|&id| !input.is("scope", id)).find(|&id| input.is("parameter", id));
    let smallest = parameter.or_else(|| above().find(|&id| input.is_droppable(id)));
    let Some(smallest) = smallest else { return false };
    arguments_for(input, smallest).into_iter().all(|a| edits.add(a, Change::drop()))
        && edits.add(smallest, Change::drop())
}

/// The first least text that the place of `id` takes.
fn least(input: &Input<'_>, id: NodeId) -> Option<Change> {
    let texts = input.language.roles.least.get(&input.tree.kind(id))?;
    let place = Place::of(input.tree, input.language, id);
    let (text, kind) = texts.iter().find(|(_, kind)| kind.is_none_or(|k| place.takes([k])))?;
    Some(Change::put(text, *kind))
}

/// The expressions that hold `id`, innermost first, reached through expressions and their lists.
fn expressions(input: &Input<'_>, id: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    for at in std::iter::once(id).chain(input.tree.ancestors(id)) {
        if input.is("expression", at) {
            found.push(at);
        } else if !input.is("expression_list", at) {
            break;
        }
    }
    found
}

fn wide(input: &Input<'_>, id: NodeId) -> Option<(NodeId, Change)> {
    let expressions = expressions(input, id);
    if let Some(parent) = expressions.last().and_then(|&top| input.tree.parent(top))
        && input.is("expression_statement", parent)
        && input.is_droppable(parent)
    {
        return Some((parent, Change::drop()));
    }
    expressions.into_iter().rev().find_map(|e| least(input, e).map(|change| (e, change)))
}

fn narrow(input: &Input<'_>, id: NodeId) -> Option<(NodeId, Change)> {
    let tree = input.tree;
    let expressions = expressions(input, id);
    let mut inner = None;
    for pair in expressions.windows(2) {
        let (at, parent) = (pair[0], pair[1]);
        let operands: Vec<NodeId> = tree.children(parent).filter(|&c| tree.is_named(c)).collect();
        let leads = input.is("needs_operand", parent) && operands.first() == Some(&at);
        if !leads {
            break;
        }
        let assigned = input.is("assignment", parent).then(|| operands[operands.len() - 1]);
        let value = assigned.filter(|&v| v != at).map(Change::hoist);
        inner = Some((parent, value.or_else(|| least(input, parent))));
    }
    let (at, change) = inner.unwrap_or_else(|| {
        let first = expressions.first().copied().unwrap_or(id);
        (first, least(input, first))
    });
    let statement = tree.parent(at).filter(|&p| input.is("expression_statement", p));
    if let Some(statement) = statement
        && input.is_droppable(statement)
        && change.as_ref().is_none_or(|c| !matches!(c.0[..], [minirepro_syntax::Piece::Node(_)]))
    {
        return Some((statement, Change::drop()));
    }
    change.filter(|_| !expressions.is_empty()).map(|change| (at, change))
}
