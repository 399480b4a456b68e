//! Drops single tokens, pairs of neighbours, and pairs of brackets around what stays, whatever the
//! grammar facts say: the parser decides.

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::limits::ENDING_TEXT;
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes all windows of one and of two tokens, from the end, then all pairs of brackets.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let small = tree.tokens(NodeId::ROOT) <= ENDING_TEXT;
    if !small && !context.is_sweep() {
        return None;
    }
    let tokens = atoms(context);
    let mut items: Vec<Item> = Vec::new();
    for (at, &id) in tokens.iter().enumerate().rev() {
        let next = tokens.get(at + 1).filter(|_| small);
        if let Some(&next) = next.filter(|&&next| may_go(context, id, Some(next))) {
            let weight = tree.tokens(id) + tree.tokens(next);
            items.push(Item::new(Edits::drop_all([id, next]), weight));
        }
        if !may_go(context, id, None) {
            continue;
        }
        items.push(Item::new(Edits::drop(id), tree.tokens(id)));
        items.extend(blank(context, id));
    }
    items.extend(brackets(context));
    let items = context.untried(items);
    Proposal::new(items, Strategy::Single)
}

/// Returns the pairs of brackets that are parts of one node.
fn brackets<'a>(context: &'a PassContext<'_>) -> impl Iterator<Item = Item> + 'a {
    let tree = context.tree;
    let has_parts = move |&id: &NodeId| !context.tokens(id).whole_tags;
    context.ids().rev().filter(has_parts).flat_map(move |id| {
        let mut open = Vec::new();
        let mut pairs = Vec::new();
        for part in tree.children(id).filter(|&part| tree.is_leaf(part) && !tree.is_named(part)) {
            if let Some(closing) = closing(tree.text_of(part)) {
                open.push((part, closing));
            } else if let Some((opening, _)) =
                open.pop_if(|(_, closing)| *closing == tree.text_of(part))
            {
                let weight = tree.tokens(opening) + tree.tokens(part);
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
fn may_go(context: &PassContext<'_>, id: NodeId, next: Option<NodeId>) -> bool {
    let tree = context.tree;
    let is_of_tag = |id: NodeId| {
        let parent = tree.parent(id);
        parent.is_some_and(|p| context.is(Role::Bracket, p) || context.is(Role::Attribute, p))
    };
    let joins = |next: NodeId| {
        let is_joint = context.tokens(id).joint.as_deref().is_some_and(|j| j == tree.text_of(id));
        is_joint && is_of_tag(next) && !tree.is_named(next)
    };
    !context.tokens(id).whole_tags
        || next.is_some_and(joins)
        || !is_of_tag(id) && !next.is_some_and(is_of_tag)
}

/// Returns the item that puts a blank in place of a token without which its neighbours would read
/// as one, although they are no two words (the language's token `joint`, `>` of HTML).
fn blank(context: &PassContext<'_>, id: NodeId) -> Option<Item> {
    let is_joint =
        context.tokens(id).joint.as_deref().is_some_and(|joint| joint == context.tree.text_of(id));
    let change = Change::replace_with(" ", Some(context.tree.kind(id)));
    is_joint.then(|| Item::new(Edits::one(id, change), context.tree.tokens(id)))
}

/// Returns the uppermost nodes that are one token each.
pub(crate) fn atoms(context: &PassContext<'_>) -> Vec<NodeId> {
    let tree = context.tree;
    let mut atoms = Vec::new();
    let mut at = NodeId::ROOT;
    let end = tree.subtree_end(at);
    while at < end {
        if tree.is_leaf(at) || tree.tokens(at) <= 1 && at != NodeId::ROOT {
            if !tree.span(at).is_empty() {
                atoms.push(at);
            }
            at = tree.subtree_end(at);
        } else {
            at = NodeId(at.0 + 1);
        }
    }
    atoms
}
