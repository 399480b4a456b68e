//! Drops nodes that the grammar demands but readers can do without (tags of HTML): the language's
//! role `soup`. Knows nothing of what they mean; the parser and its complaints decide.

use minirepro_syntax::{Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "soup";

/// Larger trees are left to passes that keep to the grammar.
const SMALL: u32 = 100;

/// One item per node that the grammar demands, last first, and one for all such children of a node
/// (both tags of an element).
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    if input.tree.tokens(NodeId::ROOT) > SMALL {
        return None;
    }
    let mandatory = |&id: &NodeId| input.is("soup", id) && !input.is_droppable(id);
    let drop = |id: NodeId| Item::new(Edits::drop(id), input.tree.tokens(id));
    let mut items: Vec<Item> = input.tree.ids().rev().filter(mandatory).map(drop).collect();
    items.extend(input.tree.ids().rev().filter_map(|id| all_below(input, id)));
    Proposal::new(input.fresh(items), Strategy::Single)
}

fn all_below(input: &Input<'_>, id: NodeId) -> Option<Item> {
    let soup: Vec<NodeId> = input.tree.children(id).filter(|&c| input.is("soup", c)).collect();
    let weight = soup.iter().map(|&c| input.tree.tokens(c)).sum();
    (soup.len() > 1).then(|| Item::new(Edits::drop_all(soup), weight))
}
