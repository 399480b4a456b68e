//! Puts the least values in place of a name that is used as a value, one mention at a time.
//!
//! Wins no token by itself; what was declared may then go, and the place with it.

use minirepro_syntax::{Change, NodeId, Role};

use crate::framework::slots::fitting;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes one item per mention, last first.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mentions = cx.until(cx.tree.ids().rev()).filter(|&id| cx.is_name(id));
    let items = mentions.flat_map(|id| items(cx, id));
    cx.proposal(items, Plan::GALLOP)
}

fn items(cx: &PassContext<'_>, mention: NodeId) -> Vec<Item> {
    let as_value = value(cx, mention).map(|value| (value, value));
    let Some((value, like)) = as_value.or_else(|| value_like_type(cx, mention)) else {
        return Vec::new();
    };
    let texts = fitting(cx, value, cx.placeholders(like));
    texts.map(|(text, kind)| Item::one(value, Change::replace_with(text, *kind), 1)).collect()
}

/// Returns the node that is no more than a mention and is read as a type where it may be a value
/// (`a<b>`), and the first mention of the same name, if that is a value: only its declaration tells
/// that it is one.
fn value_like_type(cx: &PassContext<'_>, mention: NodeId) -> Option<(NodeId, NodeId)> {
    let is_all = |&id: &NodeId| cx.text_of(id) == cx.text_of(mention);
    let whole = cx.ancestors(mention).take_while(is_all).last()?;
    let first = *cx.mentions(mention).first()?;
    let is_value = cx.is(Role::Expression, first) && !cx.is(Role::Type, first);
    (is_value && cx.is(Role::Type, mention)).then_some((whole, first))
}

/// Returns the node that is no more than a mention, if it is used as a value.
fn value(cx: &PassContext<'_>, mention: NodeId) -> Option<NodeId> {
    let parent = cx.parent(mention)?;
    let leads = cx.is(Role::NeedsOperand, parent) && cx.elements(parent).next() == Some(mention);
    // Some grammars have a node around a name that is used as a value.
    let is_all = |&id: &NodeId| cx.text_of(id) == cx.text_of(mention);
    let mut value = cx.around(mention).take_while(is_all);
    value.find(|&id| cx.is(Role::Expression, id)).filter(|_| !leads)
}
