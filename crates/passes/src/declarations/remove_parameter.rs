//! Drops a parameter together with the arguments for it, wherever the function is declared or
//! called by name.

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::declarations::declared_name;
use crate::framework::function_parts::ListBehind;
use crate::framework::made_values::{lists_of_values, other_name};
use crate::framework::mention_removal::{Extent, add_unit};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-parameter";

/// Proposes one item per function name and position, last position first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mut names: Vec<(&Vec<u8>, &Vec<NodeId>)> = context.index().names.iter().collect();
    names.sort_unstable_by_key(|(_, all)| std::cmp::Reverse(all.last().copied()));
    let items: Vec<Item> = names.into_iter().flat_map(|(_, all)| items(context, all)).collect();
    let items = context.untried(items);
    Proposal::new(items, Strategy::All)
}

fn items(context: &PassContext<'_>, mentions: &[NodeId]) -> Vec<Item> {
    let tree = context.tree;
    // Most names are those of no function.
    let declares = |&mention: &NodeId| ListBehind::of(context, mention).is_some_and(|l| l.declares);
    if !mentions.iter().any(declares) {
        return Vec::new();
    }
    let lists: Vec<ListBehind> = mentions.iter().flat_map(|&m| lists(context, m)).collect();
    let declared = lists.iter().filter(|list| list.declares);
    let declared = declared.map(|list| list.elements.len()).max().unwrap_or(0);
    let mut items = Vec::new();
    for position in (0..declared).rev() {
        let mut edits = Edits::none();
        let mut weight = 0;
        let mut whole = true;
        for list in &lists {
            let Some(&place) = list.elements.get(position) else { continue };
            weight += tree.tokens(place);
            whole &= edits.add(place, Change::drop());
            if list.declares {
                whole &= add_uses(context, place, &mut edits);
            }
        }
        if whole && !edits.is_empty() {
            items.push(Item::new(edits, weight));
        }
    }
    items
}

/// Returns the lists of parameters or arguments for the function that is named at `mention`. A class is named where its
/// constructor gets arguments, perhaps by another name.
fn lists(context: &PassContext<'_>, mention: NodeId) -> Vec<ListBehind> {
    let of_one = |mention| match ListBehind::of(context, mention) {
        Some(list) => vec![list],
        None => {
            let lists = lists_of_values(context, mention).into_iter();
            lists
                .map(|list| ListBehind {
                    list,
                    declares: false,
                    elements: context.elements(list).collect(),
                })
                .collect()
        }
    };
    let mut lists = of_one(mention);
    if let Some(alias) = other_name(context, mention) {
        let mentions = context.mentions(alias).iter().filter(|&&mention| mention != alias);
        lists.extend(mentions.flat_map(|&mention| of_one(mention)).filter(|list| !list.declares));
    }
    lists
}

/// Adds the edits that remove the mentions of the parameter's own name inside of the function; `false`
/// if that is impossible.
fn add_uses(context: &PassContext<'_>, parameter: NodeId, edits: &mut Edits) -> bool {
    let tree = context.tree;
    let Some(function) = tree.ancestors(parameter).find(|&a| context.is(Role::Function, a)) else {
        return true;
    };
    let Some(name) = declared_name(context, parameter) else { return true };
    let mentions = context.mentions(name);
    mentions
        .iter()
        .filter(|&&m| tree.contains(function, m) && !tree.contains(parameter, m))
        .all(|&m| add_unit(context, m, Extent::Narrow, edits))
}
