//! Puts a type in the place of every use of its name, and drops the definition of the name.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::declared::{leaves_without, text_of};
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
    let meaning = tree.children(definition).find(|&c| input.is("type", c))?;
    let mut declarators = input.elements(definition).filter(|&c| {
        c > meaning && !input.is("qualifier", c) && tree.subtree(c).any(|n| input.is_name(n))
    });
    let declarator = declarators.next().filter(|_| declarators.next().is_none())?;
    let name = tree.subtree(declarator).find(|&n| input.is_name(n))?;
    if !input.is_droppable(definition) {
        return None;
    }
    let written = written(input, definition, meaning, name)
        .filter(|_| tree.subtree_end(name) == tree.subtree_end(declarator))?;
    let mut edits = Edits::drop(definition);
    let mut uses = 0;
    for &mention in &input.index().names[tree.text_of(name)] {
        if tree.contains(definition, mention) {
            continue;
        }
        // A body must not be written twice.
        let whole = uses == 0 || !input.is("record", meaning);
        let change = if whole { written.clone() } else { short_form(input, meaning)? };
        uses += 1;
        if !input.is("type", mention) || !edits.add(mention, change) {
            return None;
        }
    }
    (uses > 0).then(|| Item::new(edits, tree.tokens(definition)))
}

/// What stands for the name: attributes from behind it, the type, pointers from before it.
fn written(input: &Input<'_>, definition: NodeId, meaning: NodeId, name: NodeId) -> Option<Change> {
    let tree = input.tree;
    let (keyword, end) = (tree.children(definition).next()?, tree.children(definition).last()?);
    let behind: Vec<NodeId> = tree.children(definition).filter(|&c| c > name && c < end).collect();
    let mut leaves: Vec<NodeId> =
        behind.iter().flat_map(|&c| leaves_without(input, c, &[])).collect();
    let without: Vec<NodeId> = [keyword, name, end].into_iter().chain(behind).collect();
    leaves.extend(leaves_without(input, definition, &without));
    let alone = leaves_without(input, meaning, &[]) == leaves;
    Some(if alone { Change::hoist(meaning) } else { Change::put(text_of(input, &leaves), None) })
}

/// A record by its keyword and name, without its body.
fn short_form(input: &Input<'_>, record: NodeId) -> Option<Change> {
    let tree = input.tree;
    let head: Vec<NodeId> = tree.children(record).take(2).collect();
    let named = head.len() == 2 && input.is_name(head[1]);
    let text = [tree.text_of(head[0]), b" ", tree.text_of(*head.get(1)?)].concat();
    named.then(|| Change::put(text, Some(tree.kind(record))))
}
