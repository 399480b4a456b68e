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

/// Returns the values of each variable of the record's type, and of each element of an array of it.
fn lists(context: &PassContext<'_>, record: NodeId) -> Vec<Vec<NodeId>> {
    let tree = context.tree;
    let mut lists = Vec::new();
    for declaration in uses(context, record).into_iter().filter_map(|id| tree.parent(id)) {
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
    let mentions = |name: NodeId| context.mentions(name).iter().copied();
    let mut uses = vec![record];
    if let Some(tag) = context.name_part(record) {
        let by_tag = mentions(tag).filter(|&m| m != tag).filter_map(|m| tree.parent(m));
        uses.extend(by_tag.filter(|&id| context.is(Role::Record, id)));
    }
    if let Some(definition) = tree.parent(record).filter(|&p| context.is(Role::Typedef, p))
        && let Some(alias) =
            context.part(definition, FieldRole::Declarator).filter(|&c| context.is_name(c))
    {
        uses.extend(mentions(alias).filter(|&m| m != alias && context.is(Role::Type, m)));
    }
    uses
}
