//! Puts what a macro stands for in the place of its uses, with arguments for its parameters, and drops
//! its definition.

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
    let mut parts = input.elements(definition).peekable();
    let name = parts.next().filter(|&n| input.is_name(n))?;
    let list = parts.next_if(|&p| input.is("parameters", p));
    let parameters: Option<Vec<NodeId>> = list.map(|list| input.elements(list).collect());
    let meaning = parts.next();
    let mut edits = Edits::drop(definition);
    let mut uses = 0;
    for &mention in input.index().names[tree.text_of(name)].iter().filter(|&&m| m != name) {
        let (place, text) = match &parameters {
            None => (mention, written(input, meaning, &[], &[])),
            Some(parameters) => {
                let call = tree.parent(mention).filter(|&p| input.is("call", p))?;
                let arguments = input.elements(call).find(|&c| input.is("arguments", c))?;
                let arguments: Vec<NodeId> = input.elements(arguments).collect();
                let fits = arguments.len() == parameters.len();
                fits.then(|| (call, written(input, meaning, parameters, &arguments)))?
            }
        };
        let change = if text.is_empty() { Change::drop() } else { Change::put(text, None) };
        if tree.contains(definition, mention) || !edits.add(place, change) {
            return None;
        }
        uses += 1;
    }
    (uses > 0).then(|| Item::new(edits, tree.tokens(definition)))
}

/// The text of a meaning with arguments in the place of parameters.
fn written(
    input: &Input<'_>,
    meaning: Option<NodeId>,
    parameters: &[NodeId],
    arguments: &[NodeId],
) -> Vec<u8> {
    let tree = input.tree;
    let Some(meaning) = meaning else { return Vec::new() };
    if parameters.is_empty() {
        return tree.text_of(meaning).trim_ascii().to_vec();
    }
    let own = |leaf: NodeId| {
        let at = parameters.iter().position(|&p| tree.text_of(p) == tree.text_of(leaf));
        tree.text_of(at.map_or(leaf, |at| arguments[at]))
    };
    let leaves = tree.subtree(meaning).filter(|&id| tree.is_leaf(id));
    leaves.map(own).collect::<Vec<_>>().join(&b' ')
}
