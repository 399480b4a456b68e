//! Puts a smaller number in place of a number, everywhere at once where several are equal: `int
//! a[4096]; … i < 4096` becomes `int a[17]; … i < 17`.
//!
//! Bisection: half of it, then half of what is left. A number that the test needs as it is has few
//! questions; one that need only be large enough ends as the least that is.

use std::collections::BTreeMap;

use minirepro_syntax::{NodeId, Tree};

use crate::framework::limits::{LARGE_NUMBER, NUMBERS_TRIED};
use crate::framework::numbers::{smaller, whole};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the next number for all equal ones together, and for each of them.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mut numbers: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    for id in cx.ids().filter(|&id| cx.is_leaf(id)) {
        if let Some(value) = whole(cx.tree, id).filter(|&value| value >= LARGE_NUMBER) {
            numbers.entry(value).or_default().push(id);
        }
    }
    let mut items = Vec::new();
    for (value, places) in numbers.iter().rev() {
        let alone = places.iter().map(std::slice::from_ref);
        let together = Some(&places[..]).filter(|places| places.len() > 1);
        for places in together.into_iter().chain(alone) {
            items.extend(next(cx, *value, places));
        }
    }
    Proposal::new(items, Plan::EACH)
}

/// Returns the next items for the numbers at these places: one, or in the sweep all.
fn next(cx: &PassContext<'_>, value: u64, places: &[NodeId]) -> Vec<Item> {
    let item = |smaller: u64| {
        let changes = places.iter().map(|&leaf| {
            let id = with_unit(cx.tree, leaf);
            let unit = &cx.text_of(id)[cx.text_of(leaf).len()..];
            (id, cx.reworded(id, [smaller.to_string().as_bytes(), unit].concat()))
        });
        Item::of(changes, 1)
    };
    cx.next_of(smaller(value).take(NUMBERS_TRIED).filter_map(item))
}

/// Returns the number at this leaf with the unit after it, which no blank may part from it.
fn with_unit(tree: &Tree, leaf: NodeId) -> NodeId {
    let is_one = |&parent: &NodeId| {
        let is_unit = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'%';
        tree.children(parent).next() == Some(leaf) && tree.text_of(parent).iter().all(is_unit)
    };
    tree.parent(leaf).filter(is_one).unwrap_or(leaf)
}
