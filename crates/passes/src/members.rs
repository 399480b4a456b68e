//! Drops a member of a record together with the values that stand for it in initial values, by
//! position, wherever a variable of the record's type has some. (Values that name their member go
//! with the name: `names`.)

use minirepro_syntax::{Edits, NodeId};

use crate::declared::declared;
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "members";

/// One item per member with at least one value, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let records = input.tree.ids().rev().filter(|&id| input.is("record", id));
    let items = records.flat_map(|record| items(input, record)).collect();
    Proposal::new(input.fresh(items), Strategy::All)
}

fn items(input: &Input<'_>, record: NodeId) -> Vec<Item> {
    let tree = input.tree;
    let Some(body) = tree.children(record).find(|&c| input.is("block", c)) else {
        return Vec::new();
    };
    let lists = lists(input, record);
    let members: Vec<NodeId> = input.elements(body).flat_map(|f| declared(input, f)).collect();
    let item = |(position, &member): (usize, &NodeId)| {
        let values = lists.iter().filter_map(|list| list.get(position).copied());
        let edits = Edits::drop_all(values.chain([member]));
        let weight = edits.iter().map(|(id, _)| tree.tokens(id)).sum();
        (edits.len() > 1).then(|| Item::new(edits, weight))
    };
    members.iter().enumerate().rev().filter_map(item).collect()
}

/// The values of each variable of the record's type, and of each element of an array of it.
fn lists(input: &Input<'_>, record: NodeId) -> Vec<Vec<NodeId>> {
    let tree = input.tree;
    let mut lists = Vec::new();
    for declaration in uses(input, record).into_iter().filter_map(|id| tree.parent(id)) {
        for variable in tree.children(declaration).filter(|&c| input.is("initializer", c)) {
            let Some(value) = tree.children(variable).find(|&c| input.is("hollow", c)) else {
                continue;
            };
            let is_array = tree.subtree(variable).any(|n| n < value && input.is("array", n));
            let values = input.elements(value).collect();
            if is_array {
                let inner = input.elements(value).filter(|&e| input.is("hollow", e));
                lists.extend(inner.map(|e| input.elements(e).collect::<Vec<_>>()));
            } else {
                lists.push(values);
            }
        }
    }
    lists
}

/// Where the record is named as a type: itself, by its tag, by another name for it.
fn uses(input: &Input<'_>, record: NodeId) -> Vec<NodeId> {
    let tree = input.tree;
    let mentions = |name: NodeId| input.index().names[tree.text_of(name)].iter().copied();
    let mut uses = vec![record];
    if let Some(tag) = tree.children(record).find(|&c| input.is_name(c)) {
        let by_tag = mentions(tag).filter(|&m| m != tag).filter_map(|m| tree.parent(m));
        uses.extend(by_tag.filter(|&id| input.is("record", id)));
    }
    if let Some(definition) = tree.parent(record).filter(|&p| input.is("typedef", p))
        && let Some(alias) = tree.children(definition).find(|&c| input.is_name(c))
    {
        uses.extend(mentions(alias).filter(|&m| m != alias && input.is("type", m)));
    }
    uses
}
