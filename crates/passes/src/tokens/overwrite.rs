//! Overwrites bytes with a filler, in place: all offsets and lengths in the file stay right, so
//! that readers still find the rest where nothing could be deleted.
//!
//! The file is cut into equal pieces; where a piece must stay, its parts are tried (as ddmin
//! refines its partition: Zeller & Hildebrandt, TSE 2002). A byte that is zero or repeats the one
//! before it has no tokens, so that what is overwritten counts as removed.

use minirepro_syntax::{Change, NodeId, Role};

use crate::framework::limits::{LARGE_PIECE, PIECES, PIECES_OF_A_PIECE};
use crate::{Item, PassContext, Plan, Proposal};

/// The bytes that most formats read as nothing.
const FILLERS: [u8; 3] = [0, b' ', 0xff];

/// Proposes the largest pieces of a list of bytes that were not tried.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    cx.children(NodeId::ROOT).all(|id| cx.is_leaf(id)).then(|| propose_late(cx)).flatten()
}

/// Proposes the largest pieces of any file that were not tried.
pub(crate) fn propose_late(cx: &PassContext<'_>) -> Option<Proposal> {
    sizes(cx).filter(|&size| size >= LARGE_PIECE).find_map(|size| pieces(cx, size))
}

/// Proposes the largest of the small pieces that were not tried; in the sweep every byte.
pub(crate) fn propose_bytes(cx: &PassContext<'_>) -> Option<Proposal> {
    if cx.is_sweep() {
        return pieces(cx, 1).map(|all| Proposal { plan: Plan::EACH, ..all });
    }
    sizes(cx).filter(|&size| size < LARGE_PIECE).find_map(|size| pieces(cx, size))
}

/// Returns the sizes of pieces, powers of two, so that a cut at a larger one is a cut at all
/// smaller ones.
fn sizes(cx: &PassContext<'_>) -> impl Iterator<Item = u32> {
    let length = cx.text().len() / PIECES as usize;
    let first = u32::try_from(length.next_power_of_two()).unwrap_or(1 << 31);
    std::iter::successors(Some(first), |&size| {
        (size > 1).then(|| (size / PIECES_OF_A_PIECE).max(1))
    })
}

/// Proposes pieces of this many bytes: with the filler that the file has most of, then with the
/// others.
fn pieces(cx: &PassContext<'_>, size: u32) -> Option<Proposal> {
    let leaves = cx.ids().filter(|&id| cx.is(Role::Byte, id) && cx.tokens(id) > 0);
    let leaves: Vec<NodeId> = leaves.collect();
    let mut fillers = FILLERS;
    let text = cx.text();
    fillers.sort_by_key(|filler| std::cmp::Reverse(text.iter().filter(|&b| b == filler).count()));
    // Where hardly anything else is left, one filler does.
    let count = if size >= LARGE_PIECE { fillers.len() } else { 1 };
    fillers[..count].iter().find_map(|&filler| {
        let piece = |&id: &NodeId| cx.span(id).start / size as usize;
        let pieces = leaves.chunk_by(|a, b| piece(a) == piece(b));
        let items = pieces.filter_map(|piece| overwritten(cx, piece, filler));
        cx.proposal(items, Plan::ALL)
    })
}

/// Returns the item that overwrites these leaves.
fn overwritten(cx: &PassContext<'_>, piece: &[NodeId], filler: u8) -> Option<Item> {
    let text = |leaf| vec![filler; cx.span(leaf).len()];
    let changed = piece.iter().copied().filter(|&leaf| *cx.text_of(leaf) != *text(leaf));
    let weight = changed.clone().map(|leaf| cx.tokens(leaf)).sum();
    let changes = changed.map(|leaf| (leaf, Change::replace_with(text(leaf), None)));
    Item::of(changes, weight).filter(|_| weight > 0)
}
