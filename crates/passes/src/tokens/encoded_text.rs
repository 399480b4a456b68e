//! Reduces text that stands encoded in a leaf (Base64): decodes it, leaves a part out, and encodes
//! it again.

use minirepro_syntax::{Change, Edits, Encoded, NodeId, close, render};

use crate::structure::delete_and_hoist::{Entry, entries, items};
use crate::{Gate, Item, PassContext, Plan, Proposal};

/// Returns the heaviest list or node inside of the last such leaf with something new to try. Of a
/// list first all that can go, then halves of it and so on: in a code two drops cannot be told
/// apart, so each candidate is one item. The sweep has every single one.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let leaves = cx.until(cx.tree.ids().rev()).filter(|&id| cx.is_leaf(id));
    let mut coded = leaves.filter_map(|id| {
        let all = |encoded| inside(cx, id, &encoded);
        cx.language.reader.encoded(cx.tree, id).map(all)
    });
    if cx.is_sweep() {
        return Proposal::new(coded.flatten().flatten().collect(), Plan::EACH);
    }
    coded.find_map(|lists| {
        let fresh = lists.into_iter().map(|items| cx.untried(items));
        fresh.into_iter().find_map(|items| Proposal::new(items, Plan::EACH))
    })
}

/// Returns the items inside of one leaf, list by list.
fn inside(cx: &PassContext<'_>, leaf: NodeId, encoded: &Encoded) -> Vec<Vec<Item>> {
    let none = std::collections::HashSet::new();
    let inner = PassContext::new(&encoded.tree, cx.language, Gate::Facts, &none);
    let inner = inner.proposing_again(true);
    let kind = cx.kind(leaf);
    let old = cx.text_of(leaf);
    let candidate = |parts: &[Item]| {
        let mut edits = Edits::none();
        let fits = parts.iter().all(|part| edits.merge(&part.edits));
        let closed = close(&encoded.tree, cx.language, edits).filter(|_| fits)?;
        let text = render(&encoded.tree, &closed.edits, cx.language.spacing).text;
        let new = (encoded.encode)(&text);
        let won = u32::try_from(old.len().saturating_sub(new.len())).unwrap_or(u32::MAX);
        (won > 0).then(|| Item::new(Edits::one(leaf, Change::replace_with(new, Some(kind))), won))
    };
    let list = |entry| {
        let singles = items(&inner, entry);
        let largest = match entry {
            Entry::List(_) if !cx.is_sweep() => singles.len(),
            _ => 1,
        };
        let sizes = std::iter::successors(Some(largest), |&size| (size > 1).then_some(size / 2));
        sizes
            .filter(|&size| size > 0)
            .flat_map(|size| singles.chunks(size).filter_map(candidate).collect::<Vec<_>>())
            .collect()
    };
    entries(&inner).into_iter().map(list).collect()
}
