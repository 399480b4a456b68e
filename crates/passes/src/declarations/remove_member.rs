//! Drops a member of a record together with the values that stand for it in initial values, by
//! position, wherever a variable of the record's type has some. (Values that name their member go
//! with the name: `remove-symbol`.)

use minirepro_syntax::{Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::declared;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-member";

/// Proposes one item per member with at least one value, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let records = context.ids().rev().filter(|&id| context.is(Role::Record, id));
    let items = records.flat_map(|record| items(context, record)).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

fn items(context: &PassContext<'_>, record: NodeId) -> Vec<Item> {
    let tree = context.tree;
    let Some(body) = context.part(record, FieldRole::Body) else {
        return Vec::new();
    };
    let lists = lists(context, record);
    let members: Vec<NodeId> = context.elements(body).flat_map(|f| declared(context, f)).collect();
    let item = |(position, &member): (usize, &NodeId)| {
        let values = lists.iter().filter_map(|list| list.get(position).copied());
        let edits = Edits::drop_all(values.chain([member]));
        let weight = edits.iter().map(|(id, _)| tree.tokens(id)).sum();
        (edits.len() > 1).then(|| Item::new(edits, weight))
    };
    members.iter().enumerate().rev().filter_map(item).collect()
}

/// Returns the values of each variable of the record's type, of each element of an array of it, and of each value
/// that says its type.
fn lists(context: &PassContext<'_>, record: NodeId) -> Vec<Vec<NodeId>> {
    let tree = context.tree;
    let mut lists = Vec::new();
    for (at, declaration) in
        uses(context, record).into_iter().filter_map(|id| Some((id, tree.parent(id)?)))
    {
        let values =
            [FieldRole::Arguments, FieldRole::Value].map(|part| context.part(declaration, part));
        lists.extend(
            values
                .into_iter()
                .flatten()
                .filter(|&list| at < list)
                .map(|list| context.elements(list).collect()),
        );
        for variable in tree.children(declaration).filter(|&c| context.is(Role::Initializer, c)) {
            let value = context.part(variable, FieldRole::Value);
            let Some(value) = value.filter(|&value| context.is(Role::Hollow, value)) else {
                continue;
            };
            let is_array = tree.subtree(variable).any(|n| n < value && context.is(Role::Array, n));
            let values = context.elements(value).collect();
            if is_array {
                let inner = context.elements(value).filter(|&e| context.is(Role::Hollow, e));
                lists.extend(inner.map(|e| context.elements(e).collect::<Vec<_>>()));
            } else {
                lists.push(values);
            }
        }
    }
    lists
}

/// Returns where the record is named as a type: itself, by its tag, by another name for it.
fn uses(context: &PassContext<'_>, record: NodeId) -> Vec<NodeId> {
    let tree = context.tree;
    let mut uses = vec![record];
    let tag = context.name_part(record);
    let outside = tree.parent(record).map(|parent| match context.is(Role::Typedef, parent) {
        true => parent,
        false => tree.parent(parent).unwrap_or(parent),
    });
    let definition = outside.filter(|&at| context.is(Role::Typedef, at));
    let alias = definition.and_then(|definition| {
        let declarator = context.part(definition, FieldRole::Declarator);
        declarator.filter(|&name| context.is_name(name)).or_else(|| context.name_part(definition))
    });
    for name in tag.into_iter().chain(alias) {
        let mentions = context.mentions(name).iter().copied().filter(|&mention| mention != name);
        uses.extend(mentions.map(|mention| whole_type(context, mention)));
    }
    uses
}

/// Returns the type that a name is the last part of: `struct a`, `a<b>`, `n::a`.
fn whole_type(context: &PassContext<'_>, mention: NodeId) -> NodeId {
    let is_part =
        |&(at, parent): &(NodeId, NodeId)| context.part(parent, FieldRole::Name) == Some(at);
    let mut at = mention;
    while let Some((_, parent)) = context.tree.parent(at).map(|parent| (at, parent)).filter(is_part)
    {
        at = parent;
    }
    at
}
