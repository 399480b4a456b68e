//! Uses one name instead of another everywhere but in the other's declaration, which goes (Vulcan's
//! identifier replacement, OOPSLA'23).

use minirepro_syntax::{Change, Edits, NodeId};

use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "merge-names";

/// With more names than this, the number of pairs is not worth it.
const FEW: usize = 6;

/// Proposes one item per ordered pair of names of the same kind.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mut names: Vec<&Vec<NodeId>> = context.index().names.values().collect();
    if names.len() > FEW {
        return None;
    }
    names.sort_unstable_by_key(|all| all.first().copied());
    let mut items = Vec::new();
    for gone in &names {
        for kept in names.iter().filter(|kept| kept != &gone) {
            items.extend(item(context, gone, kept));
        }
    }
    let items = context.untried(items);
    Proposal::new(items, Strategy::Single)
}

fn item(context: &PassContext<'_>, gone: &[NodeId], kept: &[NodeId]) -> Option<Item> {
    let tree = context.tree;
    let (&declared, uses) = gone.split_first()?;
    let declaration = std::iter::once(declared)
        .chain(tree.ancestors(declared))
        .find(|&id| context.is_droppable(id))?;
    let uses = uses.iter().filter(|&&m| !tree.contains(declaration, m));
    let kind_of_use = uses.clone().next().map(|&m| tree.kind(m))?;
    if tree.contains(declaration, *kept.first()?)
        || !kept.iter().any(|&m| tree.kind(m) == kind_of_use)
    {
        return None;
    }
    let mut edits = Edits::drop(declaration);
    let name = tree.text_of(*kept.first()?);
    for &mention in uses {
        if !edits.add(mention, Change::replace_with(name, Some(tree.kind(mention)))) {
            return None;
        }
    }
    Some(Item::new(edits, tree.tokens(declaration)))
}
