//! Puts a smaller number in place of a number, everywhere at once where several are equal: `int
//! a[4096]; … i < 4096` becomes `int a[17]; … i < 17`.
//!
//! Bisection: half of it, then half of what is left. A number that the test needs as it is has few
//! questions; one that need only be large enough ends as the least that is.

use std::collections::BTreeMap;

use minirepro_syntax::NodeId;

use crate::framework::limits::{LARGE_NUMBER, NUMBERS_TRIED};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the next number for all equal ones together, and for each of them.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mut numbers: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    for leaf in cx.ids().filter(|&id| cx.is_leaf(id)) {
        if let Some(value) = number(cx, leaf).filter(|&value| value >= LARGE_NUMBER) {
            numbers.entry(value).or_default().push(leaf);
        }
    }
    let mut items = Vec::new();
    for (value, places) in numbers.iter().rev() {
        let together = Some(&places[..]).filter(|places| places.len() > 1);
        for places in together.into_iter().chain(places.chunks(1)) {
            items.extend(next(cx, *value, places));
        }
    }
    Proposal::new(items, Plan::EACH)
}

/// Returns the value of a leaf that is a whole number in decimal notation.
pub(crate) fn number(cx: &PassContext<'_>, leaf: NodeId) -> Option<u64> {
    let text = cx.text_of(leaf);
    let is_number = text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| is_number)?.parse().ok()
}

/// Returns the next items for the numbers at these places: one, or in the sweep all.
fn next(cx: &PassContext<'_>, value: u64, places: &[NodeId]) -> Vec<Item> {
    let item = |smaller: u64| {
        let changes = places.iter().map(|&leaf| {
            let id = with_unit(cx, leaf);
            let unit = &cx.text_of(id)[cx.text_of(leaf).len()..];
            (id, cx.reworded(id, [smaller.to_string().as_bytes(), unit].concat()))
        });
        Item::of(changes, 1)
    };
    cx.next_of(smaller(value).take(NUMBERS_TRIED).filter_map(item))
}

/// Returns the number at this leaf with the unit after it, which no blank may part from it.
fn with_unit(cx: &PassContext<'_>, leaf: NodeId) -> NodeId {
    let is_unit = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'%';
    let is_one = |&parent: &NodeId| {
        cx.children(parent).next() == Some(leaf) && cx.text_of(parent).iter().all(is_unit)
    };
    cx.parent(leaf).filter(is_one).unwrap_or(leaf)
}

/// Returns the values below `value` to try one after the other, each only where those before it
/// were refused: half of it, then half of what is left above the last, as far as the one below
/// `value`.
pub(crate) fn smaller(value: u64) -> impl Iterator<Item = u64> {
    let half = move |&refused: &u64| {
        let next = refused + (value - refused) / 2;
        (next > refused && next < value).then_some(next)
    };
    std::iter::successors(Some(value / 2).filter(|_| value > 0), half)
}

#[cfg(test)]
mod tests {
    use super::smaller;

    #[test]
    fn each_halves_what_is_left() {
        let of = |value| smaller(value).collect::<Vec<_>>();
        assert_eq!(of(100), [50, 75, 87, 93, 96, 98, 99]);
        assert_eq!(of(2), [1]);
        assert_eq!(of(1), [0]);
        assert_eq!(of(0), [] as [u64; 0]);
        assert_eq!(of(u64::MAX).len(), 64);
    }
}
