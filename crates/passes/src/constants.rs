//! Puts the least value in the place of a name that is used as a value, one mention at a time.
//!
//! Wins no token by itself; what was declared may then go, and the place with it.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::places::Place;
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "constants";

/// One item per mention, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let mentions = input.tree.ids().rev().filter(|&id| input.is_name(id));
    let items = mentions.filter_map(|id| item(input, id)).collect();
    Proposal::new(input.fresh(items), Strategy::Gallop)
}

fn item(input: &Input<'_>, mention: NodeId) -> Option<Item> {
    let tree = input.tree;
    let parent = tree.parent(mention)?;
    let leads = input.is("needs_operand", parent) && input.elements(parent).next() == Some(mention);
    if leads || !input.is("expression", mention) {
        return None;
    }
    let texts = input.language.roles.least.get(&tree.kind(mention))?;
    let place = Place::of(tree, input.language, mention);
    let (text, kind) = texts.iter().find(|(_, kind)| kind.is_none_or(|k| place.takes([k])))?;
    Some(Item::new(Edits::one(mention, Change::put(text, *kind)), 1))
}
