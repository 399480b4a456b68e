//! Moves the definition of a record (or another type with a body) to its first use.

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "inline-struct";

/// Proposes one item per definition that stands alone, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let definitions = context.ids().rev().filter(|&id| {
        (context.is(Role::Record, id) || context.is(Role::Enumeration, id))
            && context.is_droppable(id)
    });
    let items = context.untried(definitions.filter_map(|id| item(context, id)).collect());
    Proposal::new(items, Strategy::All)
}

fn item(context: &PassContext<'_>, definition: NodeId) -> Option<Item> {
    let tree = context.tree;
    let name = context.name_part(definition)?;
    let first_use = context
        .mentions(name)
        .iter()
        .filter(|&&m| !tree.contains(definition, m) && m > definition)
        .find_map(|&m| tree.parent(m).filter(|&p| tree.kind(p) == tree.kind(definition)))?;
    let mut edits = Edits::drop(definition);
    // Its text, not the node: that is dropped where it stands.
    let text = Change::replace_with(tree.text_of(definition), Some(tree.kind(definition)));
    let fits = edits.add(first_use, text);
    fits.then(|| Item::new(edits, tree.tokens(first_use)))
}
