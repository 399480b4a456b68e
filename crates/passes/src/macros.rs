//! Puts what a macro without parameters stands for in the place of its uses, and drops its
//! definition.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "macros";

/// One item per definition, last first; only what is smaller at once is accepted.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let definitions = input.tree.ids().rev().filter(|&id| input.is("macro", id));
    let items = definitions.filter_map(|id| item(input, id)).collect();
    Proposal::new(input.fresh(items), Strategy::All)
}

fn item(input: &Input<'_>, definition: NodeId) -> Option<Item> {
    let tree = input.tree;
    let mut parts = tree.children(definition).filter(|&c| tree.is_named(c));
    let name = parts.next().filter(|&n| input.is_name(n))?;
    let meaning = parts.next();
    let text = meaning.map_or(&[][..], |m| tree.text_of(m)).trim_ascii();
    let mut edits = Edits::drop(definition);
    let mut uses = 0;
    for &mention in input.index().names[tree.text_of(name)].iter().filter(|&&m| m != name) {
        let change = if text.is_empty() { Change::drop() } else { Change::put(text, None) };
        if tree.contains(definition, mention) || !edits.add(mention, change) {
            return None;
        }
        uses += 1;
    }
    (uses > 0).then(|| Item::new(edits, tree.tokens(definition)))
}
