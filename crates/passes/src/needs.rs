//! Which items of a list mention names that other items of it declare. Knows no grammar beyond
//! which kinds are names and which hide what is declared inside.

use std::collections::HashMap;

use minirepro_syntax::NodeId;

use crate::{Input, Item};

/// For each item the items that declare a name which it mentions. A name is declared where it stands
/// first in the text, unless that is inside of a local scope.
pub(crate) fn needs(input: &Input<'_>, items: &[Item]) -> Vec<Vec<u32>> {
    let mut declares: HashMap<&[u8], u32> = HashMap::new();
    for (number, item) in (0u32..).zip(items) {
        for name in names(input, item) {
            let text = input.tree.text_of(name);
            if input.index().names[text].first() == Some(&name) && is_visible(input, item, name) {
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
            let mut needed: Vec<u32> = names(input, item)
                .filter_map(|name| declares.get(input.tree.text_of(name)).copied())
                .filter(|&other| other != number)
                .collect();
            needed.sort_unstable();
            needed.dedup();
            needed
        })
        .collect()
}

/// The names below the nodes that an item changes.
fn names<'a>(input: &'a Input<'_>, item: &'a Item) -> impl Iterator<Item = NodeId> + 'a {
    let below = item.edits.iter().flat_map(|(id, _)| input.tree.subtree(id));
    below.filter(|&id| input.is_name(id))
}

/// Whether no scope inside of the item hides the name from the other items.
fn is_visible(input: &Input<'_>, item: &Item, name: NodeId) -> bool {
    let hides = |&id: &NodeId| input.is("scope", id);
    input.tree.ancestors(name).take_while(|&id| item.edits.get(id).is_none()).find(hides).is_none()
}
