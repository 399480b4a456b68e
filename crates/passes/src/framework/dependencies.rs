//! Finds which items of a list mention names that other items of it declare.

use std::collections::HashMap;

use minirepro_syntax::{NodeId, Role};

use crate::{Item, PassContext};

/// Returns for each item the items that declare a name which it mentions. A name is declared where
/// it stands first in the text, unless that is inside of a local scope.
pub(crate) fn needs(cx: &PassContext<'_>, items: &[Item]) -> Vec<Vec<u32>> {
    let mut declares: HashMap<&[u8], u32> = HashMap::new();
    for (number, item) in (0u32..).zip(items) {
        for name in names(cx, item) {
            let text = cx.text_of(name);
            let is_first = cx.mentions(name).first() == Some(&name);
            if is_first && is_visible(cx, item, name) {
                declares.insert(text, number);
            }
        }
    }
    if declares.is_empty() {
        return Vec::new();
    }
    (0u32..)
        .zip(items)
        .map(|(number, item)| {
            let mut needed: Vec<u32> = names(cx, item)
                .filter_map(|name| declares.get(cx.text_of(name)).copied())
                .filter(|&other| other != number)
                .collect();
            needed.sort_unstable();
            needed.dedup();
            needed
        })
        .collect()
}

/// Returns the names below the nodes that an item changes.
fn names<'a>(cx: &'a PassContext<'_>, item: &'a Item) -> impl Iterator<Item = NodeId> + 'a {
    let below = item.edits.iter().flat_map(|(id, _)| cx.subtree(id));
    below.filter(|&id| cx.is_name(id))
}

/// Returns whether no scope inside of the item hides the name from the other items.
fn is_visible(cx: &PassContext<'_>, item: &Item, name: NodeId) -> bool {
    let hides = |&id: &NodeId| cx.is(Role::Scope, id);
    cx.tree.ancestors(name).take_while(|&id| item.edits.get(id).is_none()).find(hides).is_none()
}
