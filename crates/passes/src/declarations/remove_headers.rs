//! Drops whole headers from a preprocessed text, with those in them: the outermost ones first.

use minirepro_syntax::{Edits, NodeId};

use crate::framework::headers::{Header, headers};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-headers";

/// Headers that hold less than this fraction (one in …) of all tokens are left to other passes.
const LIGHT: u32 = 200;

/// Headers that hold more than this fraction (one in …) are opened: those in them count.
const SHARE: u32 = 8;

/// Proposes the uppermost headers that are not too heavy and not yet tried, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.is_sweep() {
        return None;
    }
    let total = context.tree.tokens(NodeId::ROOT);
    let mut items = Vec::new();
    let mut behind = NodeId::ROOT;
    for header in headers(context) {
        if header.first < behind {
            continue;
        }
        let item = item(context, &header);
        let fits = item.weight <= total / SHARE && item.weight > total / LIGHT;
        if fits && !context.was_refused(&item) {
            behind = header.end;
            items.push(item);
        }
    }
    items.reverse();
    Proposal::new(items, Strategy::All)
}

/// Returns what takes a header away with all that is in it.
fn item(context: &PassContext<'_>, header: &Header) -> Item {
    let tree = context.tree;
    let next = |&id: &NodeId| (id < header.end).then(|| tree.subtree_end(id));
    let all = std::iter::successors(Some(header.first), next);
    let all = all.filter(|&id| context.is_droppable(id));
    let weight = all.clone().map(|id| tree.tokens(id)).sum();
    Item::new(Edits::drop_all(all), weight)
}
