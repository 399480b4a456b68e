//! Gives names to values that only have numbers (`%5` of LLVM): where numbers must be in sequence,
//! nothing can go before.

use std::collections::{BTreeMap, HashSet};

use minirepro_syntax::{NodeId, Role};

use crate::names::normalize::{is_number, short_name};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes one item for each function: all its numbers become letters, of which there never are
/// more than there were digits.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    if !cx.language.roles.is_played(Role::Local) {
        return None;
    }
    let mut functions: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for name in cx.ids().filter(|&id| cx.is_name(id)) {
        if let Some(function) = cx.local_to(name) {
            functions.entry(function).or_default().push(name);
        }
    }
    let items = functions.values().filter_map(|names| item(cx, names));
    cx.proposal(items, Plan::ALL)
}

fn item(cx: &PassContext<'_>, names: &[NodeId]) -> Option<Item> {
    let (numbers, others): (Vec<NodeId>, Vec<NodeId>) =
        names.iter().partition(|&&name| is_number(cx.bare_name(name)));
    let taken: HashSet<&[u8]> = others.iter().map(|&name| cx.bare_name(name)).collect();
    let mut free = (0u32..).map(short_name).filter(|name| !taken.contains(name.as_slice()));
    let mut new: BTreeMap<&[u8], Vec<u8>> = BTreeMap::new();
    if let Some(number) = first_block(cx, &numbers) {
        // It has no text of its own: without parameters that are numbers it is the first in
        // sequence.
        new.insert(number, b"0".to_vec());
    }
    let renamed = numbers.iter().filter_map(|&mention| {
        let own = cx.bare_name(mention);
        let name = new.entry(own).or_insert_with(|| free.next().unwrap_or_default());
        (name != own).then(|| (mention, cx.reworded(mention, cx.renamed(mention, name))))
    });
    Item::of(renamed, 1).filter(|item| !item.edits.is_empty())
}

/// Returns the number of the block that begins a function, which follows those of the parameters,
/// unless something in the body declares it.
fn first_block<'a>(cx: &PassContext<'a>, numbers: &[NodeId]) -> Option<&'a [u8]> {
    let around = |id: NodeId, role: Role| cx.ancestors(id).any(|above| cx.is(role, above));
    let parameters: HashSet<&[u8]> = numbers
        .iter()
        .filter(|&&id| around(id, Role::Parameters) && !around(id, Role::Block))
        .map(|&id| cx.bare_name(id))
        .collect();
    let own = parameters.len().to_string();
    let is_own = |id: &&NodeId| cx.bare_name(**id) == own.as_bytes();
    let first = numbers.iter().find(is_own)?;
    let declares = |id: &NodeId| cx.parent(*id).is_some_and(|above| cx.is(Role::Block, above));
    let is_declared = numbers.iter().filter(is_own).any(declares);
    (!is_declared).then(|| cx.bare_name(*first))
}
