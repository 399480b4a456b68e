//! Puts a type in the place of every use of its name, and drops the definition of the name.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::{leaves_without, only_part, text_of};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "replace-typedef";

/// Proposes one item per definition of a type's name, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let items = context.ids().rev().filter(|&id| context.is(Role::Typedef, id));
    let items = context.untried(items.filter_map(|id| item(context, id)).collect());
    Proposal::new(items, Strategy::All)
}

fn item(context: &PassContext<'_>, definition: NodeId) -> Option<Item> {
    let tree = context.tree;
    let meaning = context.part(definition, FieldRole::Type)?;
    let mut declarators = context.elements(definition).filter(|&c| {
        c > meaning
            && !context.is(Role::Qualifier, c)
            && tree.subtree(c).any(|n| context.is_name(n))
    });
    if !context.is_droppable(definition) {
        return None;
    }
    let alias = context.name_part(definition).filter(|&name| name < meaning);
    let (name, written) = if let Some(name) = alias {
        (name, Change::hoist(only_part(context, meaning)))
    } else {
        let declarator = declarators.next().filter(|_| declarators.next().is_none())?;
        let name = tree.subtree(declarator).find(|&n| context.is_name(n))?;
        let written = written(context, definition, meaning, name);
        (name, written.filter(|_| tree.subtree_end(name) == tree.subtree_end(declarator))?)
    };
    let mut edits = Edits::drop(definition);
    let mut uses = 0;
    for &mention in context.mentions(name) {
        if tree.contains(definition, mention) {
            continue;
        }
        // A body must not be written twice.
        let whole = uses == 0 || !context.is(Role::Record, meaning);
        let change = if whole { written.clone() } else { short_form(context, meaning)? };
        uses += 1;
        if !context.is(Role::Type, mention) || !edits.add(mention, change) {
            return None;
        }
    }
    (uses > 0).then(|| Item::new(edits, tree.tokens(definition)))
}

/// Returns the text for the name: attributes from behind it, the type, pointers from before it.
fn written(
    context: &PassContext<'_>,
    definition: NodeId,
    meaning: NodeId,
    name: NodeId,
) -> Option<Change> {
    let tree = context.tree;
    let keyword = tree.children(definition).next()?;
    let end = tree.children(definition).last()?;
    let behind: Vec<NodeId> = tree.children(definition).filter(|&c| c > name && c < end).collect();
    let mut leaves: Vec<NodeId> =
        behind.iter().flat_map(|&c| leaves_without(context, c, &[])).collect();
    let without: Vec<NodeId> = [keyword, name, end].into_iter().chain(behind).collect();
    leaves.extend(leaves_without(context, definition, &without));
    let alone = leaves_without(context, meaning, &[]) == leaves;
    Some(if alone {
        Change::hoist(meaning)
    } else {
        Change::replace_with(text_of(context, &leaves), None)
    })
}

/// Returns a record by its keyword and name, without its body.
fn short_form(context: &PassContext<'_>, record: NodeId) -> Option<Change> {
    let tree = context.tree;
    let head: Vec<NodeId> = tree.children(record).take(2).collect();
    let named = head.len() == 2 && context.is_name(head[1]);
    let text = [tree.text_of(head[0]), b" ", tree.text_of(*head.get(1)?)].concat();
    named.then(|| Change::replace_with(text, Some(tree.kind(record))))
}
