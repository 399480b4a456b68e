//! Uses a base class instead of a class that is derived from it: the derived one goes, with what is defined for it
//! outside of it.

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::declaration_parts::plain_name;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "replace-derived-class";

/// Proposes one item for each base of each class, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let records = context.ids().rev().filter(|&id| context.is(Role::Record, id));
    let items = records.flat_map(|record| items(context, record)).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

fn items(context: &PassContext<'_>, record: NodeId) -> Vec<Item> {
    let tree = context.tree;
    // What a template is derived from may depend on its parameters.
    let is_template = tree.parent(record).is_some_and(|at| context.is(Role::Template, at));
    let name = context.name_part(record).filter(|_| !is_template);
    let bases = tree.children(record).find(|&child| context.is(Role::Bases, child));
    let (Some(name), Some(bases)) = (name, bases) else { return Vec::new() };
    let is_type = |&id: &NodeId| context.is(Role::Type, id) || context.is(Role::Qualified, id);
    let bases = context.elements(bases).filter(is_type);
    bases.filter_map(|base| item(context, record, name, base)).collect()
}

fn item(context: &PassContext<'_>, record: NodeId, name: NodeId, base: NodeId) -> Option<Item> {
    let tree = context.tree;
    let change = match context.is_droppable(record) {
        true => Change::drop(),
        false => Change::hoist(base),
    };
    let mut edits = Edits::one(record, change);
    let mut weight = tree.tokens(record);
    let mentions = context.mentions(name).iter().copied();
    for mention in mentions.filter(|&mention| !tree.contains(record, mention)) {
        if let Some(other) = of_its_own(context, mention) {
            weight += tree.tokens(other);
            if !edits.add(other, Change::drop()) {
                return None;
            }
            continue;
        }
        let change = match context.is_name(base) {
            true => Change::replace_with(tree.text_of(base), Some(tree.kind(mention))),
            false => Change::hoist(base),
        };
        if !edits.add(mention, change) {
            return None;
        }
    }
    Some(Item::new(edits, weight))
}

/// Returns the declaration that only says something about the class itself: that there is one, or what a member
/// of it is.
fn of_its_own(context: &PassContext<'_>, mention: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let parent = tree.parent(mention)?;
    if context.is(Role::Record, parent) {
        return Some(parent).filter(|&record| context.is_droppable(record));
    }
    let is_scope = tree.children(parent).next() == Some(mention);
    let qualified = Some(parent).filter(|_| is_scope && context.is(Role::Qualified, parent))?;
    let mut around = tree.ancestors(qualified);
    let declaration = around.find(|&id| context.is(Role::Declaration, id))?;
    let is_declared = plain_name(context, declaration) == Some(qualified);
    (is_declared && context.is_droppable(declaration)).then_some(declaration)
}
