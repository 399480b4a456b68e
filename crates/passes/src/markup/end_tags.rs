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
    let leaves: Vec<NodeId> = cx.ids().filter(|&id| cx.is_leaf(id)).collect();
    let closes = |sign: NodeId| cx.text_of(sign) == closing;
    let opens = |sign: NodeId| {
        let tag = cx.parent_that(Role::Bracket, sign);
        tag.is_some_and(|tag| cx.children(tag).next() == Some(sign))
    };
    // The signs of all tags, and the names after them, also where the grammar expects no tag.
    let tags = leaves.windows(2).map(|pair| (pair[0], pair[1]));
    let tags: Vec<(NodeId, NodeId)> = tags.filter(|&(s, _)| closes(s) || opens(s)).collect();
    let mut open: Vec<&[u8]> = Vec::new();
    let mut items = Vec::new();
    for (at, &(sign, name)) in tags.iter().enumerate() {
        let (text, innermost) = (cx.text_of(name), open.last().copied());
        if !closes(sign) {
            let closes_it = Item::one(sign, cx.reworded(sign, closing), 1);
            items.extend(Some(closes_it).filter(|_| innermost == Some(text)));
            open.push(text);
            continue;
        }
        if innermost.is_none_or(|inner| inner == text) {
            open.pop();
            continue;
        }
        for inner in open.iter().rev().take(OPEN_ELEMENTS).filter(|&&inner| inner != text) {
            items.push(Item::one(name, cx.reworded(name, inner), 1));
        }
        let is_later = |(s, n): &&_| closes(*s) && innermost == Some(cx.text_of(*n));
        let later = tags[at + 1..].iter().find(is_later);
        items.extend(later.and_then(|&(later, _)| moved(cx, cx.parent(sign)?, cx.parent(later)?)));
        if let Some(opened) = open.iter().rposition(|&inner| inner == text) {
            open.remove(opened);
        }
    }
    cx.proposal(items, Plan::EACH)
}

/// Moves the text of the tag `later` before `tag`.
fn moved(cx: &PassContext<'_>, tag: NodeId, later: NodeId) -> Option<Item> {
    let before = Change(vec![Piece::Text(cx.text_of(later).into(), None), Piece::Node(tag)]);
    Item::of([(tag, before), (later, Change::drop())], 1)
}
