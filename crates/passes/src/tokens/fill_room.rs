//! Replaces a paragraph or a line by empty room as high as that will be set, and several rooms by
//! one: `\vspace*{79pt}`.
//!
//! For texts that fail since a page ends where it does: no part of them can go alone.

use minirepro_syntax::{Change, NodeId};

use crate::framework::limits::{ROOM_AROUND, ROOM_OF_BYTES};
use crate::structure::remove_counted::lines_in;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes all paragraphs with each guess of how high they are; then one room for each run of
/// rooms, its halves and its neighbours; then all lines with the likely guesses.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let (text, roles) = (cx.text(), &cx.language.roles);
    let tokens = roles.tokens_of.values().map(|tokens| &**tokens).chain([&roles.tokens]);
    let (start, room) = tokens.flat_map(|tokens| &tokens.room).find_map(|[sign, room]| {
        Some((text.windows(sign.len()).position(|at| at == &sign[..])?, room))
    })?;
    let (before, after) = room.split_at(room.iter().position(|&byte| byte == b'0')?);
    let height = |id: NodeId| -> Option<usize> {
        let number = cx.text_of(id).trim_ascii().strip_prefix(before)?.strip_suffix(&after[1..]);
        str::from_utf8(number?).ok()?.parse().ok()
    };
    let room = |id: NodeId, height: usize| {
        let end = &cx.text_of(id)[cx.text_of(id).trim_ascii_end().len()..];
        cx.reworded(id, [before, height.to_string().as_bytes(), &after[1..], end].concat())
    };
    let mut joined: Vec<Item> = Vec::new();
    for list in cx.ids().filter(|&id| !cx.is_leaf(id)) {
        let parts: Vec<NodeId> = cx.children(list).collect();
        for run in parts.chunk_by(|&one, &next| height(one).and(height(next)).is_some()) {
            let halves = run.chunks(run.len().div_ceil(2));
            for all in [run].into_iter().chain(halves).chain(run.windows(2)) {
                let sum = all.iter().filter_map(|&id| height(id)).sum();
                let gone = all[1..].iter().map(|&id| (id, Change::drop()));
                let item = Item::of(gone.chain([(all[0], room(all[0], sum))]), 1);
                joined.extend(item.filter(|_| all.len() > 1));
            }
        }
    }
    // What stands before the sign in its file is not shown.
    let is_around = |&id: &NodeId| cx.span(id).start < start && start < cx.span(id).end;
    let hidden = cx.ids().filter(is_around).last().map_or(start, |id| cx.span(id).start)..=start;
    let is_shown = |&id: &NodeId| cx.tokens(id) > 1 && !hidden.contains(&cx.span(id).start);
    let is_paragraph = |&id: &NodeId| {
        let text = cx.text_of(id).trim_ascii_end();
        let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        text.len() < cx.span(id).len() && lines.all(|line| !line.is_empty())
    };
    let paragraphs = cx.outermost(cx.ids().filter(is_shown).filter(is_paragraph)).collect();
    let lines = lines_in(cx, NodeId::ROOT).filter(is_shown).collect();
    let filled = |parts: Vec<NodeId>, guesses: &[usize]| {
        let height = |id, of| cx.text_of(id).trim_ascii_end().len() * of / 100 + ROOM_AROUND;
        let item = |id, of| Item::one(id, room(id, height(id, of)), cx.tokens(id));
        let items = |&of| cx.proposal(parts.iter().rev().map(|&id| item(id, of)), Plan::ALL);
        guesses.iter().find_map(items)
    };
    filled(paragraphs, &ROOM_OF_BYTES)
        .or_else(|| cx.proposal(joined, Plan::EACH))
        .or_else(|| filled(lines, &ROOM_OF_BYTES[..2]))
}
