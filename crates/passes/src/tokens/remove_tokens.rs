//! Drops single tokens, pairs of neighbours, and pairs of brackets around what stays, whatever the
//! grammar facts say: the parser decides.

use minirepro_syntax::{Change, NodeId, Role};

use crate::framework::limits::ENDING_TEXT;
use crate::structure::delete_and_hoist::is_word;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes all windows of one and of two tokens, from the end, then all pairs of brackets.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let small = cx.tokens(NodeId::ROOT) <= ENDING_TEXT;
    if !small && !cx.is_sweep() {
        return None;
    }
    // The uppermost nodes that are one token or word each.
    let is_atom = |&id: &NodeId| cx.is_leaf(id) || id != NodeId::ROOT && is_word(cx, id);
    let atoms = cx.outermost(cx.tree.ids().filter(is_atom));
    let tokens: Vec<NodeId> = atoms.filter(|&id| !cx.span(id).is_empty()).collect();
    let mut items: Vec<Item> = Vec::new();
    for (at, &id) in tokens.iter().enumerate().rev() {
        let next = tokens.get(at + 1).filter(|&&next| small && may_go(cx, id, Some(next)));
        items.extend(next.map(|&next| cx.drop_all([id, next])));
        if may_go(cx, id, None) {
            items.push(cx.drop(id));
            // Without it, its neighbours would read as one, although they are no two words.
            let blank = || Item::one(id, cx.reworded(id, " "), cx.tokens(id));
            items.extend(is_joint(cx, id).then(blank));
        }
    }
    let has_parts = |&id: &NodeId| !cx.signs(id).whole_tags;
    items.extend(cx.until(cx.tree.ids().rev()).filter(has_parts).flat_map(|id| brackets(cx, id)));
    cx.proposal(items, Plan::EACH)
}

/// Returns the pairs of brackets that are parts of one node.
fn brackets(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for part in cx.children(id).filter(|&part| cx.is_leaf(part) && !cx.is_named(part)) {
        match cx.text_of(part) {
            b"(" => open.push((part, &b")"[..])),
            b"[" => open.push((part, b"]")),
            b"{" | b"${" => open.push((part, b"}")),
            text => {
                let opening = open.pop_if(|(_, closing)| *closing == text);
                pairs.extend(opening.and_then(|(opening, _)| {
                    // The sign of a name stays.
                    let left =
                        cx.text_of(opening).strip_suffix(b"{").filter(|left| !left.is_empty());
                    let left = left.map_or_else(Change::drop, |left| cx.reworded(opening, left));
                    Item::of([(opening, left), (part, Change::drop())], 2)
                }));
            }
        }
    }
    pairs
}

/// Returns whether a token may go without the rest of the tag or the attribute that it is part of;
/// with `next` if both do. Where one tag ends and the next begins, two become one.
fn may_go(cx: &PassContext<'_>, id: NodeId, next: Option<NodeId>) -> bool {
    let is_of_tag = |id: NodeId| {
        let parent = cx.parent(id);
        parent.is_some_and(|parent| cx.is_any(&[Role::Bracket, Role::Attribute], parent))
    };
    let joins = |next: NodeId| is_joint(cx, id) && is_of_tag(next) && !cx.is_named(next);
    !cx.signs(id).whole_tags
        || next.is_some_and(joins)
        || !is_of_tag(id) && !next.is_some_and(is_of_tag)
}

/// Returns whether a token ends a tag, where others begin with it: `>` of HTML.
fn is_joint(cx: &PassContext<'_>, id: NodeId) -> bool {
    let ends = |tag| cx.is(Role::Bracket, tag) && cx.children(tag).last() == Some(id);
    cx.signs(id).end_tag_start.is_some() && !cx.is_named(id) && cx.parent(id).is_some_and(ends)
}
