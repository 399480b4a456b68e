//! Puts a type in the place of every use of its name, and drops the definition of the name.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "typedefs";

/// One item per definition of a type's name, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let tree = input.tree;
    let items = tree.ids().rev().filter(|&id| input.is("typedef", id));
    let items = input.fresh(items.filter_map(|id| item(input, id)).collect());
    Proposal::new(items, Strategy::All)
}

fn item(input: &Input<'_>, definition: NodeId) -> Option<Item> {
    let tree = input.tree;
    let types: Vec<NodeId> = tree.children(definition).filter(|&c| input.is("type", c)).collect();
    // `typedef TYPE NAME;`: both read as types; anything else declares more than a plain name.
    let [meaning, name] = types[..] else { return None };
    if !input.is_name(name) || !input.is_droppable(definition) {
        return None;
    }
    let mut edits = Edits::drop(definition);
    let mut uses = 0;
    for &mention in &input.index().names[tree.text_of(name)] {
        if tree.contains(definition, mention) {
            continue;
        }
        // A body must not be written twice.
        let whole = uses == 0 || !input.is("record", meaning);
        let change = if whole { Change::hoist(meaning) } else { short_form(input, meaning)? };
        uses += 1;
        if !input.is("type", mention) || !edits.add(mention, change) {
            return None;
        }
    }
    (uses > 0).then(|| Item::new(edits, tree.tokens(definition)))
}

/// A record by its keyword and name, without its body.
fn short_form(input: &Input<'_>, record: NodeId) -> Option<Change> {
    let tree = input.tree;
    let head: Vec<NodeId> = tree.children(record).take(2).collect();
    let named = head.len() == 2 && input.is_name(head[1]);
    let text = [tree.text_of(head[0]), b" ", tree.text_of(*head.get(1)?)].concat();
    named.then(|| Change::put(text, Some(tree.kind(record))))
}
