//! Takes one level of pointer or array from a name: in its declarations and wherever it is followed.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// One item per name that is declared as a pointer or an array.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let mut names: Vec<&Vec<NodeId>> = input.index().names.values().collect();
    names.sort_unstable_by_key(|all| std::cmp::Reverse(all.last().copied()));
    let items = names.into_iter().filter_map(|mentions| item(input, mentions)).collect();
    Proposal::new(input.fresh(items), Strategy::Single)
}

fn item(input: &Input<'_>, mentions: &[NodeId]) -> Option<Item> {
    let tree = input.tree;
    let mut edits = Edits::none();
    let (mut declared, mut weight) = (false, 0);
    for &mention in mentions {
        let Some(level) = tree.parent(mention) else { continue };
        let declares = input.is("pointer", level) || input.is("array", level);
        let first = tree.children(level).find(|&c| tree.is_named(c)) == Some(mention);
        if declares || input.is("dereference", level) && first {
            declared |= declares;
            weight += tree.tokens(level) - tree.tokens(mention);
            if !edits.add(level, Change::hoist(mention)) {
                return None;
            }
        }
    }
    // With a single change, hoisting alone does the same.
    (declared && edits.len() > 1).then(|| Item::new(edits, weight))
}
