//! Drops single tokens, pairs of neighbours, and pairs of brackets around what stays, whatever the
//! grammar facts say: the parser decides.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::framework::limits::ENDING_TEXT;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes all windows of one and of two tokens, from the end, then all pairs of brackets.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let small = cx.tokens(NodeId::ROOT) <= ENDING_TEXT;
    if !small && !cx.is_sweep() {
        return None;
    }
    let tokens = atoms(cx);
    let mut items: Vec<Item> = Vec::new();
    for (at, &id) in tokens.iter().enumerate().rev() {
        let next = tokens.get(at + 1).filter(|_| small);
        if let Some(&next) = next.filter(|&&next| may_go(cx, id, Some(next))) {
            let weight = cx.tokens(id) + cx.tokens(next);
            items.push(Item::new(Edits::drop_all([id, next]), weight));
        }
        if !may_go(cx, id, None) {
            continue;
        }
        items.push(cx.drop(id));
        items.extend(blank(cx, id));
    }
    items.extend(brackets(cx));
    cx.proposal(items, Plan::EACH)
}

/// Returns the pairs of brackets that are parts of one node.
fn brackets<'a>(cx: &'a PassContext<'_>) -> impl Iterator<Item = Item> + 'a {
    let has_parts = move |&id: &NodeId| !cx.signs(id).whole_tags;
    cx.until(cx.tree.ids().rev()).filter(has_parts).flat_map(move |id| {
        let mut open = Vec::new();
        let mut pairs = Vec::new();
        for part in cx.children(id).filter(|&part| cx.is_leaf(part) && !cx.is_named(part)) {
            if let Some(closing) = closing(cx.text_of(part)) {
                open.push((part, closing));
            } else if let Some((opening, _)) =
                open.pop_if(|(_, closing)| *closing == cx.text_of(part))
            {
                let weight = cx.tokens(opening) + cx.tokens(part);
                pairs.push(Item::new(Edits::drop_all([opening, part]), weight));
            }
        }
        pairs
    })
}

/// Returns the bracket that closes another one.
fn closing(opening: &[u8]) -> Option<&'static [u8]> {
    match opening {
        b"(" => Some(b")"),
        b"[" => Some(b"]"),
        b"{" => Some(b"}"),
        _ => None,
    }
}

/// Returns whether a token may go without the rest of the tag or the attribute that it is part of;
/// with `next` if both do. Where one tag ends and the next begins, two become one.
fn may_go(cx: &PassContext<'_>, id: NodeId, next: Option<NodeId>) -> bool {
    let is_of_tag = |id: NodeId| {
        let parent = cx.parent(id);
        parent.is_some_and(|p| cx.is(Role::Bracket, p) || cx.is(Role::Attribute, p))
    };
    let joins = |next: NodeId| {
        let is_joint = cx.signs(id).joint.as_deref().is_some_and(|j| j == cx.text_of(id));
        is_joint && is_of_tag(next) && !cx.is_named(next)
    };
    !cx.signs(id).whole_tags
        || next.is_some_and(joins)
        || !is_of_tag(id) && !next.is_some_and(is_of_tag)
}

/// Returns the item that puts a blank in place of a token without which its neighbours would read
/// as one, although they are no two words (the language's token `joint`, `>` of HTML).
fn blank(cx: &PassContext<'_>, id: NodeId) -> Option<Item> {
    let is_joint = cx.signs(id).joint.as_deref().is_some_and(|joint| joint == cx.text_of(id));
    let change = cx.reworded(id, " ");
    is_joint.then(|| Item::new(Edits::one(id, change), cx.tokens(id)))
}

/// Returns the uppermost nodes that are one token each.
pub(crate) fn atoms(cx: &PassContext<'_>) -> Vec<NodeId> {
    let mut atoms = Vec::new();
    let mut at = NodeId::ROOT;
    let end = cx.subtree_end(at);
    while at < end {
        if cx.is_leaf(at) || cx.tokens(at) <= 1 && at != NodeId::ROOT {
            if !cx.span(at).is_empty() {
                atoms.push(at);
            }
            at = cx.subtree_end(at);
        } else {
            at = NodeId(at.0 + 1);
        }
    }
    atoms
}
