//! Replaces several tokens of a line by one long name that is as wide as they are: `f(self.first,
//! second)` becomes `f(aaaaaaaaaaaaaaaaaa)`. What stands around a line goes, and a name in it
//! becomes longer by as much.
//!
//! For texts that fail since they are so wide, as in formatters: no part of them can go alone.

use minirepro_syntax::{Change, NodeId};

use crate::framework::limits::{LONG_NAMES, LONG_TOKEN, LONG_WORD, WIDTHS_IN_VAIN};
use crate::framework::slots::Place;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes all such edits, those first that win most, where names are left that are longer than
/// they need be to be told apart.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let names = cx.index().values().filter(|all| all.len() == 1).map(|all| all[0]);
    let is_long = |&id: &NodeId| cx.span(id).len() >= LONG_TOKEN && !cx.signs(id).fixed_words;
    let mut long: Vec<NodeId> = names.filter(is_long).collect();
    long.sort_unstable_by_key(|&id| std::cmp::Reverse((cx.span(id).len(), id)));
    let &longest = long.first()?;
    if long.len() < LONG_NAMES && cx.span(longest).len() < LONG_WORD {
        return None;
    }
    let name = |width: usize| cx.reworded(longest, "a".repeat(width));
    let is_line = |&id: &NodeId| cx.tokens(id) > 1 && !cx.text_of(id).contains(&b'\n');
    let fits = |id: NodeId| Place::of(cx, id).takes([cx.kind(longest)]);
    let mut items: Vec<Item> = Vec::new();
    for id in cx.ids().skip(1).filter(is_line) {
        if fits(id) {
            items.push(Item::one(id, name(cx.span(id).len()), cx.tokens(id) - 1));
        }
        // All elements of a list, and every two neighbours.
        let elements: Vec<NodeId> = cx.elements(id).collect();
        for part in [&elements[..]].into_iter().chain(elements.windows(2)) {
            let [first, .., last] = part else { continue };
            let width = cx.span(*last).end - cx.span(*first).start;
            let gone = part[1..].iter().map(|&other| (other, Change::drop()));
            let weight = part.iter().map(|&id| cx.tokens(id)).sum();
            let item = fits(*first).then(|| Item::of(gone.chain([(*first, name(width))]), weight));
            items.extend(item.flatten());
        }
    }
    let around: Vec<NodeId> = cx.ancestors(longest).filter(|&id| cx.is_named(id)).collect();
    for (at, &inner) in around.iter().enumerate() {
        for &outer in &around[at + 1..] {
            let lost = match is_line(&outer) {
                true => cx.span(outer).len() - cx.span(inner).len(),
                false => column(cx, inner).saturating_sub(column(cx, outer)),
            };
            if outer != NodeId::ROOT && Place::of(cx, outer).takes([cx.kind(inner)]) {
                let longer = (longest, name(cx.span(longest).len() + lost));
                let weight = cx.tokens(outer) - cx.tokens(inner);
                items.extend(Item::of([(outer, Change::hoist(inner)), longer], weight));
            }
        }
    }
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    cx.proposal(items, Plan { patience: |_| Some([WIDTHS_IN_VAIN; 2]), ..Plan::EACH })
}

/// Returns how far from the beginning of its line a node begins.
fn column(cx: &PassContext<'_>, id: NodeId) -> usize {
    let before = &cx.text()[..cx.span(id).start];
    before.iter().rev().take_while(|&&byte| byte != b'\n').count()
}
