//! Joins neighbouring declarations of one type: `T a; T b;` becomes `T a, b;`.

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes one item per pair of neighbours.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let mut items = Vec::new();
    for parent in context.ids().filter(|&id| !tree.is_leaf(id)) {
        let children: Vec<NodeId> = tree.children(parent).collect();
        items.extend(children.windows(2).filter_map(|pair| item(context, pair[0], pair[1])));
    }
    items.reverse();
    Proposal::new(context.untried(items), Strategy::All)
}

fn item(context: &PassContext<'_>, first: NodeId, second: NodeId) -> Option<Item> {
    let tree = context.tree;
    if !context.is(Role::Joinable, first) || tree.kind(first) != tree.kind(second) {
        return None;
    }
    let end = tree.children(first).last().filter(|&c| !tree.is_named(c))?;
    let head = specifiers(context, first);
    let tail = specifiers(context, second);
    let alike = head.len() == tail.len()
        && head.iter().zip(&tail).all(|(&a, &b)| tree.hash(a) == tree.hash(b));
    if !alike || tail.is_empty() {
        return None;
    }
    let mut edits = Edits::drop(end);
    let fits = edits.add(tail[0], Change::replace_with(",", None))
        && tail[1..].iter().all(|&specifier| edits.add(specifier, Change::drop()));
    fits.then(|| Item::new(edits, tail.iter().map(|&t| tree.tokens(t)).sum()))
}

/// Returns the children up to the type, which all declared names share.
fn specifiers(context: &PassContext<'_>, declaration: NodeId) -> Vec<NodeId> {
    let children: Vec<NodeId> = context.tree.children(declaration).collect();
    let last = children.iter().rposition(|&c| context.is(Role::Type, c));
    last.map_or_else(Vec::new, |at| children[..=at].to_vec())
}
