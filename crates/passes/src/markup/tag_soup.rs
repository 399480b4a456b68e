//! Drops nodes that the grammar demands but readers can do without (tags of HTML): the language's role
//! `soup`. The parser and its parse errors decide which ones.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "tag-soup";

/// Larger trees are left to passes that keep to the grammar.
const SMALL: u32 = 100;

/// Proposes one item per node that the grammar demands, last first, and one for all such children
/// of a node (both tags of an element).
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.tree.tokens(NodeId::ROOT) > SMALL {
        return None;
    }
    let mandatory = |&id: &NodeId| context.is(Role::Soup, id) && !context.is_droppable(id);
    let drop = |id: NodeId| Item::new(Edits::drop(id), context.tree.tokens(id));
    let mut items: Vec<Item> = context.ids().rev().filter(mandatory).map(drop).collect();
    items.extend(context.ids().rev().filter_map(|id| all_below(context, id)));
    Proposal::new(context.untried(items), Strategy::Single)
}

fn all_below(context: &PassContext<'_>, id: NodeId) -> Option<Item> {
    let soup: Vec<NodeId> =
        context.tree.children(id).filter(|&c| context.is(Role::Soup, c)).collect();
    let weight = soup.iter().map(|&c| context.tree.tokens(c)).sum();
    (soup.len() > 1).then(|| Item::new(Edits::drop_all(soup), weight))
}
