//! Drops a parameter together with the arguments for it, wherever the function is declared or
//! called by name.

use minirepro_syntax::{Edits, NodeId};

use crate::declared::declared_name;
use crate::units::{Extent, add_unit};
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "parameters";

/// One item per function name and position, last position first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let mut names: Vec<(&Vec<u8>, &Vec<NodeId>)> = input.index().names.iter().collect();
    names.sort_unstable_by_key(|(_, all)| std::cmp::Reverse(all.last().copied()));
    let items: Vec<Item> = names.into_iter().flat_map(|(_, all)| items(input, all)).collect();
    let items = input.fresh(items);
    Proposal::new(items, Strategy::All)
}

fn items(input: &Input<'_>, mentions: &[NodeId]) -> Vec<Item> {
    let tree = input.tree;
    let lists: Vec<(bool, Vec<NodeId>)> =
        mentions.iter().filter_map(|&m| list_behind(input, m)).collect();
    let declared = lists.iter().filter(|(d, _)| *d).map(|(_, list)| list.len()).max().unwrap_or(0);
    let mut items = Vec::new();
    for position in (0..declared).rev() {
        let places =
            lists.iter().filter_map(|(declares, list)| Some((*declares, *list.get(position)?)));
        let mut edits = Edits::none();
        let mut weight = 0;
        let mut whole = true;
        for (declares, place) in places {
            weight += tree.tokens(place);
            whole &= edits.add(place, minirepro_syntax::Change::drop());
            if declares {
                whole &= add_uses(input, place, &mut edits);
            }
        }
        if whole && !edits.is_empty() {
            items.push(Item::new(edits, weight));
        }
    }
    items
}

/// Whether the list declares parameters, and its elements, if the name at `mention` has one.
fn list_behind(input: &Input<'_>, mention: NodeId) -> Option<(bool, Vec<NodeId>)> {
    let tree = input.tree;
    let parent = tree.parent(mention)?;
    let list = tree
        .children(parent)
        .find(|&c| c > mention && (input.is("parameters", c) || input.is("arguments", c)))?;
    Some((input.is("parameters", list), input.elements(list).collect()))
}

/// What mentions the parameter's own name inside of the function goes with it.
fn add_uses(input: &Input<'_>, parameter: NodeId, edits: &mut Edits) -> bool {
    let tree = input.tree;
    let Some(function) = tree.ancestors(parameter).find(|&a| input.is("function", a)) else {
        return true;
    };
    let Some(name) = declared_name(input, parameter) else { return true };
    let mentions = &input.index().names[tree.text_of(name)];
    mentions
        .iter()
        .filter(|&&m| tree.contains(function, m) && !tree.contains(parameter, m))
        .all(|&m| add_unit(input, m, Extent::Narrow, edits))
}

/// The other places that go with a parameter: the same position wherever the function's name has a
/// list. Nothing for any other node.
pub(crate) fn arguments_for(input: &Input<'_>, parameter: NodeId) -> Vec<NodeId> {
    let tree = input.tree;
    let Some(list) = tree.parent(parameter).filter(|&p| input.is("parameters", p)) else {
        return Vec::new();
    };
    let function =
        tree.parent(list).and_then(|p| tree.subtree(p).find(|&n| n < list && input.is_name(n)));
    let position = input.elements(list).position(|p| p == parameter);
    let (Some(function), Some(position)) = (function, position) else { return Vec::new() };
    input.index().names[tree.text_of(function)]
        .iter()
        .filter_map(|&m| list_behind(input, m))
        .filter_map(|(_, list)| list.get(position).copied())
        .filter(|&place| place != parameter)
        .collect()
}
