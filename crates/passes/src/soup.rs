//! Drops nodes that the grammar demands but readers can do without (tags of HTML): the language's
//! role `soup`. Knows nothing of what they mean; the parser and its complaints decide.

use minirepro_syntax::{Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "soup";

/// Larger trees are left to passes that keep to the grammar.
const SMALL: u32 = 100;

/// One item per node, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    if input.tree.tokens(NodeId::ROOT) > SMALL {
        return None;
    }
    let mandatory = |&id: &NodeId| input.is("soup", id) && !input.is_droppable(id);
    let drop = |id: NodeId| Item::new(Edits::drop(id), input.tree.tokens(id));
    let items = input.tree.ids().rev().filter(mandatory).map(drop).collect();
    Proposal::new(input.fresh(items), Strategy::Single)
}
