//! Removes one mention of a name, with as much around it as the grammar demands.

use minirepro_syntax::{Change, Edits, FieldRole, Mention, NodeId, Piece, Role};

use crate::PassContext;
use crate::framework::references::{is_one_of_several, with_blanks};
use crate::framework::slots::Place;
use crate::framework::views::arguments_for;

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
    context: &PassContext<'_>,
    occurrence: NodeId,
    extent: Extent,
    edits: &mut Edits,
) -> bool {
    let tree = context.tree;
    let declares = tree.parent(occurrence).is_some_and(|p| context.is(Role::DeclaresType, p));
    if context.is(Role::Type, occurrence)
        && !declares
        && let Some(change) = least(context, occurrence)
    {
        return edits.add(occurrence, change);
    }
    if is_own_parameter(context, occurrence)
        && let Some(smallest) =
            tree.ancestors(occurrence).find(|&around| context.is_droppable(around))
    {
        return edits.add(smallest, Change::drop());
    }
    let expression = match extent {
        Extent::Wide => wide(context, occurrence),
        Extent::Narrow => narrow(context, occurrence),
    };
    if let Some((id, change)) = expression {
        return edits.add(id, change);
    }
    let above = || std::iter::once(occurrence).chain(tree.ancestors(occurrence));
    let parameter = above()
        .take_while(|&id| !context.is(Role::Scope, id))
        .find(|&id| context.is(Role::Parameter, id));
    // What gives a local name its value goes as a whole: else something without a name is left.
    let is_local = context.is(Role::Local, occurrence);
    let is_statement = |&id: &NodeId| context.is(Role::Statement, id) && context.is_droppable(id);
    let statement = above().find(is_statement).filter(|_| is_local);
    let smallest = parameter.or(statement);
    let smallest = smallest.or_else(|| above().find(|&id| context.is_droppable(id)));
    let Some(smallest) = smallest else { return false };
    arguments_for(context, smallest).into_iter().all(|a| edits.add(a, Change::drop()))
        && edits.add(smallest, Change::drop())
}

/// Returns whether a local name is that of a parameter, at the function's head.
fn is_own_parameter(context: &PassContext<'_>, name: NodeId) -> bool {
    let is_end = |&id: &NodeId| context.is(Role::Block, id) || context.is(Role::Function, id);
    let mut around = context.tree.ancestors(name).take_while(|id| !is_end(id));
    context.is(Role::Local, name) && around.any(|id| context.is(Role::Parameters, id))
}

/// Returns the first least text that the place of `id` takes.
pub(crate) fn least(context: &PassContext<'_>, id: NodeId) -> Option<Change> {
    let texts = context.placeholders(id);
    let place = Place::of(context, id);
    let (text, kind) = texts.iter().find(|(_, kind)| kind.is_none_or(|k| place.takes([k])))?;
    Some(Change::replace_with(text, *kind))
}

/// Returns the uppermost node that is a name and nothing else, if that is an expression.
fn whole(context: &PassContext<'_>, name: NodeId) -> NodeId {
    let tree = context.tree;
    let alike = tree.ancestors(name).take_while(|&around| tree.span(around) == tree.span(name));
    alike.filter(|&around| context.is(Role::Expression, around)).last().unwrap_or(name)
}

/// Returns the expressions that hold `id`, innermost first, reached through expressions and their
/// lists.
fn expressions(context: &PassContext<'_>, id: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let id = whole(context, id);
    for at in std::iter::once(id).chain(context.tree.ancestors(id)) {
        if context.is(Role::Expression, at) {
            found.push(at);
        } else if !context.is(Role::ExpressionList, at) {
            break;
        }
    }
    found
}

fn wide(context: &PassContext<'_>, id: NodeId) -> Option<(NodeId, Change)> {
    let expressions = expressions(context, id);
    if let Some(parent) = expressions.last().and_then(|&top| context.tree.parent(top))
        && context.is(Role::ExpressionStatement, parent)
        && context.is_droppable(parent)
    {
        return Some((parent, Change::drop()));
    }
    expressions.into_iter().rev().find_map(|e| least(context, e).map(|change| (e, change)))
}

fn narrow(context: &PassContext<'_>, id: NodeId) -> Option<(NodeId, Change)> {
    let tree = context.tree;
    let expressions = expressions(context, id);
    let mut inner = None;
    for pair in expressions.windows(2) {
        let at = pair[0];
        let parent = pair[1];
        let operands: Vec<NodeId> = tree.children(parent).filter(|&c| tree.is_named(c)).collect();
        let leads = context.is(Role::NeedsOperand, parent) && operands.first() == Some(&at);
        if !leads {
            break;
        }
        let assigned = context.part(parent, FieldRole::Value);
        let assigned = assigned.filter(|_| context.is(Role::Assignment, parent));
        let value = assigned.filter(|&v| v != at).map(Change::hoist);
        inner = Some((parent, value.or_else(|| least(context, parent))));
    }
    let (at, change) = inner.unwrap_or_else(|| {
        let first = expressions.first().copied().unwrap_or(id);
        (first, least(context, first))
    });
    let statement = tree.parent(at).filter(|&p| context.is(Role::ExpressionStatement, p));
    if let Some(statement) = statement
        && context.is_droppable(statement)
        && change.as_ref().is_none_or(|c| !matches!(c.0[..], [Piece::Node(_)]))
    {
        return Some((statement, Change::drop()));
    }
    change.filter(|_| !expressions.is_empty()).map(|change| (at, change))
}

/// Adds the edits that take one mention away; `false` when there is no way. A name in a list goes
/// alone; of an attribute that is nothing but the name, all goes.
#[must_use]
pub(crate) fn add_mention(
    context: &PassContext<'_>,
    mention: &Mention,
    extent: Extent,
    edits: &mut Edits,
) -> bool {
    let tree = context.tree;
    let leaf = mention.leaf;
    let text = tree.text_of(mention.leaf);
    if is_one_of_several(tree, mention) {
        return edits.add(leaf, Change::cut(text.len(), with_blanks(text, &mention.part)));
    }
    match tree.parent(leaf).filter(|&parent| context.is(Role::Attribute, parent)) {
        Some(attribute) => edits.add(attribute, Change::drop()),
        None => add_unit(context, leaf, extent, edits),
    }
}

/// Returns the tokens that edits take away, counted once where they lie inside of each other.
pub(crate) fn weight(context: &PassContext<'_>, edits: &Edits) -> u32 {
    let mut weight = 0;
    let mut behind = NodeId::ROOT;
    for (id, change) in edits.iter() {
        if id >= behind {
            let left = if change.is_inside() {
                context.tree.tokens(id)
            } else {
                u32::from(!change.is_drop())
            };
            weight += context.tree.tokens(id).saturating_sub(left);
            behind = context.tree.subtree_end(id);
        }
    }
    weight
}
