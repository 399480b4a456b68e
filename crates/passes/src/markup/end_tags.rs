//! Puts closing tags in the order in which what they close was opened, and makes a closing tag of
//! one that opens the same again: as many tokens, fewer faults.
//!
//! Which elements must not be nested is left to the parse errors.

use minirepro_syntax::{Change, NodeId, Piece, Role};

use crate::framework::limits::OPEN_ELEMENTS;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes for each closing tag that does not close the innermost open element that it closes that
/// one, or one near; or the tag that does so further on comes before it. For each tag that opens
/// what is innermost: it closes that.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let closing = cx.signs(NodeId::ROOT).end_tag_start.as_deref()?;
    let tags = tags(cx, closing);
    let mut open: Vec<&[u8]> = Vec::new();
    let mut items = Vec::new();
    for (at, tag) in tags.iter().enumerate() {
        let name = cx.text_of(tag.name);
        if !tag.closes {
            if open.last() == Some(&name) {
                items.push(Item::one(tag.sign, cx.reworded(tag.sign, closing), 1));
            }
            open.push(name);
            continue;
        }
        if open.last().is_none_or(|&inner| inner == name) {
            open.pop();
            continue;
        }
        for inner in open.iter().rev().take(OPEN_ELEMENTS).filter(|&&inner| inner != name) {
            items.push(Item::one(tag.name, cx.reworded(tag.name, inner), 1));
        }
        let later =
            tags[at + 1..].iter().find(|t| t.closes && open.last() == Some(&cx.text_of(t.name)));
        items.extend(later.and_then(|later| moved(cx, tag, later)));
        if let Some(opened) = open.iter().rposition(|&inner| inner == name) {
            open.remove(opened);
        }
    }
    cx.proposal(items, Plan::EACH)
}

/// A tag, the leaf that it begins with, and the one with its name.
struct Tag {
    node: NodeId,
    sign: NodeId,
    name: NodeId,
    closes: bool,
}

/// Returns all tags in the order of the text, also those that the grammar does not expect.
fn tags(cx: &PassContext<'_>, closing: &[u8]) -> Vec<Tag> {
    let leaves: Vec<NodeId> = cx.ids().filter(|&id| cx.is_leaf(id)).collect();
    let tag = |pair: &[NodeId]| {
        let node = cx.parent(pair[0])?;
        let closes = cx.text_of(pair[0]) == closing;
        let starts = cx.is(Role::Bracket, node) && cx.children(node).next() == Some(pair[0]);
        (closes || starts).then_some(Tag { node, sign: pair[0], name: pair[1], closes })
    };
    leaves.windows(2).filter_map(tag).collect()
}

/// Moves the text of `later` before `tag`.
fn moved(cx: &PassContext<'_>, tag: &Tag, later: &Tag) -> Option<Item> {
    let text = cx.text_of(later.node);
    let before = Change(vec![Piece::Text(text.into(), None), Piece::Node(tag.node)]);
    Item::of([(tag.node, before), (later.node, Change::drop())], 1)
}
