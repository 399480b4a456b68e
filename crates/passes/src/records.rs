//! Moves the definition of a record (or another type with a body) to its first use.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "records";

/// One item per definition that stands alone, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let definitions = input.tree.ids().rev().filter(|&id| {
        (input.is("record", id) || input.is("enumeration", id)) && input.is_droppable(id)
    });
    let items = input.fresh(definitions.filter_map(|id| item(input, id)).collect());
    Proposal::new(items, Strategy::All)
}

fn item(input: &Input<'_>, definition: NodeId) -> Option<Item> {
    let tree = input.tree;
    let name = tree.children(definition).find(|&c| input.is_name(c))?;
    let first_use = input.index().names[tree.text_of(name)]
        .iter()
        .filter(|&&m| !tree.contains(definition, m) && m > definition)
        .find_map(|&m| tree.parent(m).filter(|&p| tree.kind(p) == tree.kind(definition)))?;
    let mut edits = Edits::drop(definition);
    // Its text, not the node: that is dropped where it stands.
    let text = Change::put(tree.text_of(definition), Some(tree.kind(definition)));
    let fits = edits.add(first_use, text);
    fits.then(|| Item::new(edits, tree.tokens(first_use)))
}
