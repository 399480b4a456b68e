//! Puts the least value in the place of a name that is used as a value, one mention at a time.
//!
//! Wins no token by itself; what was declared may then go, and the place with it.

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::slots::Place;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "name-to-constant";

/// Proposes one item per mention, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mentions = context.ids().rev().filter(|&id| context.is_name(id));
    let items = mentions.filter_map(|id| item(context, id)).collect();
    Proposal::new(context.untried(items), Strategy::Gallop)
}

fn item(context: &PassContext<'_>, mention: NodeId) -> Option<Item> {
    let tree = context.tree;
    let parent = tree.parent(mention)?;
    let leads =
        context.is(Role::NeedsOperand, parent) && context.elements(parent).next() == Some(mention);
    // Some grammars have a node around a name that is used as a value.
    let is_all = |&id: &NodeId| tree.text_of(id) == tree.text_of(mention);
    let mut value = std::iter::once(mention).chain(tree.ancestors(mention)).take_while(is_all);
    let value = value.find(|&id| context.is(Role::Expression, id)).filter(|_| !leads)?;
    let texts = context.placeholders(value);
    let place = Place::of(context, value);
    let (text, kind) = texts.iter().find(|(_, kind)| kind.is_none_or(|k| place.takes([k])))?;
    Some(Item::new(Edits::one(value, Change::replace_with(text, *kind)), 1))
}
