//! Drops a parameter together with the arguments for it, wherever the function is declared or
//! called by name.

use minirepro_syntax::{Edits, NodeId};

use crate::units::unit;
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "parameters";

/// One item per function name and position, last position first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let mut names: Vec<(&Vec<u8>, &Vec<NodeId>)> = input.index().names.iter().collect();
    names.sort_unstable_by_key(|(_, all)| std::cmp::Reverse(all.last().copied()));
    let items: Vec<Item> = names.into_iter().flat_map(|(_, all)| items(input, all)).collect();
    let items = input.fresh(NAME, items);
    (!items.is_empty()).then_some(Proposal { items, strategy: Strategy::All })
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
    let elements = tree.children(list).filter(|&c| tree.is_named(c) && !tree.flags(c).extra);
    Some((input.is("parameters", list), elements.collect()))
}

/// What mentions the parameter's own name inside of the function goes with it.
fn add_uses(input: &Input<'_>, parameter: NodeId, edits: &mut Edits) -> bool {
    let tree = input.tree;
    let Some(function) = tree.ancestors(parameter).find(|&a| input.is("function", a)) else {
        return true;
    };
    let Some(name) =
        tree.subtree(parameter).filter(|&n| input.is_name(n) && !input.is("type", n)).last()
    else {
        return true;
    };
    let mentions = &input.index().names[tree.text_of(name)];
    mentions
        .iter()
        .filter(|&&m| tree.contains(function, m) && !tree.contains(parameter, m))
        .all(|&m| unit(input, m).is_some_and(|(id, change)| edits.add(id, change)))
}
