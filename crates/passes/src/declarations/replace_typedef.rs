//! Puts a type in the place of every use of its name, and drops the definition of the name.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::{leaves_without, only_part, text_of};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "replace-typedef";

/// Proposes one item per definition of a type's name, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let items = context.ids().rev().filter(|&id| context.is(Role::Typedef, id));
    let items = items.flat_map(|id| item(context, id).into_iter().chain(named(context, id)));
    let items = context.untried(items.collect());
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
        let part = only_part(context, meaning);
        let is_type = context.is(Role::Type, part);
        // What is written as a type may be pointers, too.
        let text = || Change::replace_with(tree.text_of(meaning), None);
        (name, if is_type { Change::hoist(part) } else { text() })
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
        let change = match context.is(Role::Type, mention) {
            true if whole => written.clone(),
            true => short_form(context, meaning)?,
            false => scope(context, meaning)?,
        };
        uses += 1;
        if !edits.add(mention, change) {
            return None;
        }
    }
    (uses > 0).then(|| Item::new(edits, tree.tokens(definition)))
}

/// Returns the change that puts a type in the place of a name that is no type where it stands: a scope, a maker of values.
fn scope(context: &PassContext<'_>, meaning: NodeId) -> Option<Change> {
    let tree = context.tree;
    let part = only_part(context, meaning);
    let is_named = context.is_name(part) || context.part(part, FieldRole::Name).is_some();
    let is_defined = context.part(part, FieldRole::Body).is_some();
    (is_named && !is_defined).then(|| Change::replace_with(tree.text_of(part), None))
}

/// Returns the item that gives a record without a name the one that is defined for it.
fn named(context: &PassContext<'_>, definition: NodeId) -> Option<Item> {
    let tree = context.tree;
    let record = context.part(definition, FieldRole::Type)?;
    let is_record = context.is(Role::Record, record) && context.name_part(record).is_none();
    let body = context.part(record, FieldRole::Body).filter(|_| is_record)?;
    let name = context.part(definition, FieldRole::Declarator)?;
    let end = context.tokens().statement_end.as_deref()?;
    // Where there are no base classes, a record's name alone is no type.
    if !context.is_name(name) || !context.language.roles.is_played(Role::Bases) {
        return None;
    }
    let keyword = tree.text_of(tree.children(record).next()?);
    let text = [keyword, b" ", tree.text_of(name), b" ", tree.text_of(body), end].concat();
    Some(Item::new(Edits::one(definition, Change::replace_with(text, None)), 1))
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
