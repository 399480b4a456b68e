//! Removes one mention of a name, with as much around it as the grammar demands.

use minirepro_syntax::{Change, Edits, FieldRole, Mention, NodeId, Piece, Role, won};

use crate::PassContext;
use crate::framework::references::{is_one_of_several, with_blanks, with_separator};
use crate::framework::slots::fitting;
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
pub(crate) fn add_unit(
    cx: &PassContext<'_>,
    occurrence: NodeId,
    extent: Extent,
    edits: &mut Edits,
) -> bool {
    let is_use = cx.parent_that(Role::DeclaresType, occurrence).is_none();
    if is_use
        && cx.is(Role::Type, occurrence)
        && let Some(change) = least(cx, occurrence, 0)
    {
        return edits.add(occurrence, change);
    }
    if is_own_parameter(cx, occurrence)
        && let Some(smallest) = cx.ancestors(occurrence).find(|&around| cx.is_droppable(around))
    {
        return edits.add(smallest, Change::drop());
    }
    let expression = match extent {
        Extent::Wide => wide(cx, occurrence),
        Extent::Narrow => narrow(cx, occurrence),
    };
    if let Some((id, change)) = expression {
        return edits.add(id, change);
    }
    let above = || cx.around(occurrence);
    let parameter =
        above().take_while(|&id| !cx.is(Role::Scope, id)).find(|&id| cx.is(Role::Parameter, id));
    // What gives a local name its value goes as a whole: else something without a name is left.
    let is_local = cx.is(Role::Local, occurrence);
    let is_statement = |&id: &NodeId| cx.is(Role::Statement, id) && cx.is_droppable(id);
    let statement = above().find(is_statement).filter(|_| is_local);
    let smallest = parameter.or(statement);
    let smallest = smallest.or_else(|| above().find(|&id| cx.is_droppable(id)));
    let Some(smallest) = smallest else { return false };
    arguments_for(cx, smallest).into_iter().all(|a| edits.add(a, Change::drop()))
        && edits.add(smallest, Change::drop())
}

/// Returns whether a local name is that of a parameter, at the function's head.
fn is_own_parameter(cx: &PassContext<'_>, name: NodeId) -> bool {
    let is_end = |id| cx.is_any(&[Role::Block, Role::Function], id);
    let mut around = cx.ancestors(name).take_while(|&id| !is_end(id));
    cx.is(Role::Local, name) && around.any(|id| cx.is(Role::Parameters, id))
}

/// Returns the change to the first of the least texts that the place of `id` takes, or to the one
/// after as many.
pub(crate) fn least(cx: &PassContext<'_>, id: NodeId, number: usize) -> Option<Change> {
    let (text, kind) = fitting(cx, id, cx.placeholders(id)).nth(number)?;
    Some(Change::replace_with(text, *kind))
}

/// Returns the uppermost node that is a name and nothing else, if that is an expression.
fn whole(cx: &PassContext<'_>, name: NodeId) -> NodeId {
    let alike = cx.ancestors(name).take_while(|&around| cx.span(around) == cx.span(name));
    alike.filter(|&around| cx.is(Role::Expression, around)).last().unwrap_or(name)
}

/// Returns the expressions that hold `id`, innermost first, reached through expressions and their
/// lists.
fn expressions(cx: &PassContext<'_>, id: NodeId) -> Vec<NodeId> {
    let roles = [Role::Expression, Role::ExpressionList];
    let around = cx.around(whole(cx, id)).take_while(|&at| cx.is_any(&roles, at));
    around.filter(|&at| cx.is(Role::Expression, at)).collect()
}

fn wide(cx: &PassContext<'_>, id: NodeId) -> Option<(NodeId, Change)> {
    let expressions = expressions(cx, id);
    let top = expressions.last().and_then(|&top| cx.parent_that(Role::ExpressionStatement, top));
    let statement = top.filter(|&statement| cx.is_droppable(statement));
    let least = || expressions.iter().rev().find_map(|&id| Some((id, least(cx, id, 0)?)));
    statement.map(|statement| (statement, Change::drop())).or_else(least)
}

fn narrow(cx: &PassContext<'_>, id: NodeId) -> Option<(NodeId, Change)> {
    let expressions = expressions(cx, id);
    let mut inner = None;
    for pair in expressions.windows(2) {
        let (at, parent) = (pair[0], pair[1]);
        let first = cx.children(parent).find(|&child| cx.is_named(child));
        if !cx.is(Role::NeedsOperand, parent) || first != Some(at) {
            break;
        }
        let assigned = cx.part(parent, FieldRole::Value);
        let assigned = assigned.filter(|&v| cx.is(Role::Assignment, parent) && v != at);
        inner = Some((parent, assigned.map(Change::hoist).or_else(|| least(cx, parent, 0))));
    }
    let (at, change) = inner.unwrap_or_else(|| {
        let first = expressions.first().copied().unwrap_or(id);
        (first, least(cx, first, 0))
    });
    if let Some(statement) = cx.parent_that(Role::ExpressionStatement, at)
        && cx.is_droppable(statement)
        && change.as_ref().is_none_or(|c| !matches!(c.0[..], [Piece::Node(_)]))
    {
        return Some((statement, Change::drop()));
    }
    change.filter(|_| !expressions.is_empty()).map(|change| (at, change))
}

/// Adds the edits that take one mention away; `false` when there is no way. A name in a list goes
/// alone; of an attribute that is nothing but the name, all goes.
pub(crate) fn add_mention(
    cx: &PassContext<'_>,
    mention: &Mention,
    extent: Extent,
    edits: &mut Edits,
) -> bool {
    let leaf = mention.leaf;
    let text = cx.text_of(leaf);
    if is_one_of_several(cx.tree, mention) {
        return edits.add(leaf, Change::cut(text.len(), with_blanks(text, &mention.part)));
    }
    // Without a grammar it stands in a line, which may be that before a block.
    if extent == Extent::Narrow && !mention.is_definition && !cx.is_leaf(leaf) {
        let length = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
        let heads = std::iter::successors(Some(leaf), |&at| cx.children(at).next());
        let line = heads.take_while(|&at| cx.text_of(at).len() >= length).last().unwrap_or(leaf);
        let cut = with_separator(&text[..length], &mention.part);
        return edits.add(line, Change::cut(cx.text_of(line).len(), cut));
    }
    match cx.parent_that(Role::Attribute, leaf) {
        Some(attribute) => edits.add(attribute, Change::drop()),
        None => add_unit(cx, leaf, extent, edits),
    }
}

/// Returns the tokens that edits take away.
pub(crate) fn weight(cx: &PassContext<'_>, edits: &Edits) -> u32 {
    u32::try_from(won(cx.tree, cx.language, edits)).unwrap_or(0)
}
