//! Drops a member of a record together with the values that stand for it in initial values, by
//! position, wherever a variable of the record's type has some. (Values that name their member go
//! with the name: `remove-symbol`.)

use minirepro_syntax::{Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::declared;
use crate::framework::made_values::{lists_of_values, other_name};
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

/// Returns the values of whatever is declared or made with the record, by its definition, its tag or another name for it.
fn lists(context: &PassContext<'_>, record: NodeId) -> Vec<Vec<NodeId>> {
    let names = context.name_part(record).into_iter().chain(other_name(context, record));
    let mentions =
        names.flat_map(|name| context.mentions(name).iter().copied().filter(move |&m| m != name));
    [record]
        .into_iter()
        .chain(mentions)
        .flat_map(|at| lists_of_values(context, at))
        .map(|list| context.elements(list).collect())
        .collect()
}
