//! Puts the least values in place of a name that is used as a value, one mention at a time.
//!
//! Wins no token by itself; what was declared may then go, and the place with it.

use minirepro_syntax::{Change, Edits, Kind, NodeId, Role};

use crate::framework::slots::Place;
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes one item per mention, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mentions = context.ids().rev().filter(|&id| context.is_name(id));
    let items = mentions.flat_map(|id| items(context, id)).collect();
    Proposal::new(context.untried(items), Strategy::Gallop)
}

fn items(context: &PassContext<'_>, mention: NodeId) -> Vec<Item> {
    let like_type = || value_like_type(context, mention).map(|(value, like)| (value, like, false));
    let as_value = value(context, mention).map(|value| (value, value, true));
    let Some((value, like, is_alike)) = as_value.or_else(like_type) else { return Vec::new() };
    let place = Place::of(context, value);
    let texts = context.placeholders(like).iter();
    let fits = |kind: &Option<Kind>| kind.map_or(is_alike, |kind| place.takes([kind]));
    let texts = texts.filter(|(_, kind)| fits(kind));
    let item =
        |(text, kind): &_| Item::new(Edits::one(value, Change::replace_with(text, *kind)), 1);
    texts.map(item).collect()
}

/// Returns the node that is no more than a mention and is read as a type where it may be a value
/// (`a<b>`), and the first mention of the same name, if that is a value: only its declaration tells
/// that it is one.
fn value_like_type(context: &PassContext<'_>, mention: NodeId) -> Option<(NodeId, NodeId)> {
    let tree = context.tree;
    let is_all = |&id: &NodeId| tree.text_of(id) == tree.text_of(mention);
    let whole = tree.ancestors(mention).take_while(is_all).last()?;
    let first = *context.mentions(mention).first()?;
    let is_value = context.is(Role::Expression, first) && !context.is(Role::Type, first);
    (is_value && context.is(Role::Type, mention)).then_some((whole, first))
}

/// Returns the node that is no more than a mention, if it is used as a value.
fn value(context: &PassContext<'_>, mention: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let parent = tree.parent(mention)?;
    let leads =
        context.is(Role::NeedsOperand, parent) && context.elements(parent).next() == Some(mention);
    // Some grammars have a node around a name that is used as a value.
    let is_all = |&id: &NodeId| tree.text_of(id) == tree.text_of(mention);
    let mut value = std::iter::once(mention).chain(tree.ancestors(mention)).take_while(is_all);
    value.find(|&id| context.is(Role::Expression, id)).filter(|_| !leads)
}
