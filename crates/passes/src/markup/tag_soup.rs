//! Drops nodes that the grammar demands but readers can do without (tags of HTML): the language's
//! role `soup`. The parser and its parse errors decide which ones.

use minirepro_syntax::{NodeId, Role};

use crate::{Item, PassContext, Plan, Proposal};

/// Proposes one item per node that the grammar demands, last first, and one for all such children
/// of a node (both tags of an element); then the end tags side by side.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mandatory = |&id: &NodeId| cx.is(Role::Soup, id) && !cx.is_droppable(id);
    let alone = cx.ids().rev().filter(mandatory).map(|id| cx.drop(id));
    let all_below = |id| {
        let soup: Vec<NodeId> = cx.children(id).filter(|&c| cx.is(Role::Soup, c)).collect();
        (soup.len() > 1).then(|| cx.drop_all(soup))
    };
    let whole = cx.ids().rev().filter(|&id| cx.signs(id).whole_tags);
    let items = alone.chain(cx.ids().rev().filter_map(all_below));
    cx.proposal(items.chain(whole.filter_map(|id| ends_from(cx, id))), Plan::EACH)
}

/// Returns the item that drops the end tags which stand side by side, from that of the innermost
/// element on: that of an outer one would close the inner ones as well.
fn ends_from(cx: &PassContext<'_>, id: NodeId) -> Option<Item> {
    // The end tag of an element, and what stands before it.
    let end_of = |id: NodeId| {
        let children: Vec<NodeId> = cx.children(id).collect();
        let (&last, before) = children.split_last()?;
        let is_end = cx.is(Role::Soup, last) && !cx.span(last).is_empty();
        is_end.then(|| (last, before.last().copied()))
    };
    let (innermost, before) = end_of(id)?;
    if before.is_some_and(|before| end_of(before).is_some()) {
        return None;
    }
    let mut ends = vec![innermost];
    let mut at = id;
    while let Some(around) = cx.parent(at)
        && let Some((end, before)) = end_of(around)
        && before == Some(at)
    {
        ends.push(end);
        at = around;
    }
    (ends.len() > 1).then(|| cx.drop_all(ends))
}
