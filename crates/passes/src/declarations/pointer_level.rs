//! Takes one level of pointer or array from a name: in its declarations and wherever it is followed.

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes one item per name that is declared as a pointer or an array.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mut names: Vec<&Vec<NodeId>> = context.index().names.values().collect();
    names.sort_unstable_by_key(|all| std::cmp::Reverse(all.last().copied()));
    let items = names.into_iter().filter_map(|mentions| item(context, mentions)).collect();
    Proposal::new(context.untried(items), Strategy::Single)
}

fn item(context: &PassContext<'_>, mentions: &[NodeId]) -> Option<Item> {
    let tree = context.tree;
    let mut edits = Edits::none();
    let mut declared = false;
    let mut weight = 0;
    for &mention in mentions {
        let Some(level) = tree.parent(mention) else { continue };
        let declares = context.is(Role::Pointer, level) || context.is(Role::Array, level);
        let first = tree.children(level).find(|&c| tree.is_named(c)) == Some(mention);
        if declares || context.is(Role::Dereference, level) && first {
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
