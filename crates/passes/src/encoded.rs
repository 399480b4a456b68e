//! Reduces what stands in a leaf in a code that hides it from the tree (Base64): decoded, a part left
//! out, encoded again.
//!
//! Knows trees; the parser decodes and encodes.

use minirepro_syntax::{Change, Edits, Encoded, NodeId, close, render};

use crate::structure::{Entry, entries, items};
use crate::{Gate, Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "encoded";

/// The heaviest list or node inside of the last such leaf with something new to try. Of a list first
/// all that can go, then halves of it and so on: in a code two drops cannot be told apart, so each
/// candidate is one item. The sweep has every single one.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let leaves = input.tree.ids().rev().filter(|&id| input.tree.is_leaf(id));
    let mut coded = leaves.filter_map(|id| {
        let all = |encoded| inside(input, id, &encoded);
        input.language.parser.encoded(input.tree, id).map(all)
    });
    if input.is_sweep() {
        return Proposal::new(coded.flatten().flatten().collect(), Strategy::Single);
    }
    coded.find_map(|lists| {
        let fresh = lists.into_iter().map(|items| input.fresh(items));
        fresh.into_iter().find_map(|items| Proposal::new(items, Strategy::Single))
    })
}

/// What can be tried inside of one leaf, list by list.
fn inside(input: &Input<'_>, leaf: NodeId, encoded: &Encoded) -> Vec<Vec<Item>> {
    let none = std::collections::HashSet::new();
    let inner = Input::sweep(&encoded.tree, input.language, Gate::Facts, &none);
    let (kind, old) = (input.tree.kind(leaf), input.tree.text_of(leaf));
    let candidate = |parts: &[Item]| {
        let mut edits = Edits::none();
        let fits = parts.iter().all(|part| edits.merge(&part.edits));
        let closed = close(&encoded.tree, input.language, &edits).filter(|_| fits)?;
        let text = render(&encoded.tree, &closed.edits, input.language.style).text;
        let new = (encoded.encode)(&text);
        let won = u32::try_from(old.len().saturating_sub(new.len())).unwrap_or(u32::MAX);
        (won > 0).then(|| Item::new(Edits::one(leaf, Change::put(new, Some(kind))), won))
    };
    let list = |entry| {
        let singles = items(&inner, entry);
        let largest = match entry {
            Entry::List(_) if !input.is_sweep() => singles.len(),
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
