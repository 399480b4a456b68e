//! Joins neighbouring declarations of one type: `T a; T b;` becomes `T a, b;`.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// One item per pair of neighbours.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let tree = input.tree;
    let mut items = Vec::new();
    for parent in tree.ids().filter(|&id| !tree.is_leaf(id)) {
        let children: Vec<NodeId> = tree.children(parent).collect();
        items.extend(children.windows(2).filter_map(|pair| item(input, pair[0], pair[1])));
    }
    items.reverse();
    Proposal::new(input.fresh(items), Strategy::All)
}

fn item(input: &Input<'_>, first: NodeId, second: NodeId) -> Option<Item> {
    let tree = input.tree;
    if !input.is("joinable", first) || tree.kind(first) != tree.kind(second) {
        return None;
    }
    let end = tree.children(first).last().filter(|&c| !tree.is_named(c))?;
    let (head, tail) = (specifiers(input, first), specifiers(input, second));
    let alike = head.len() == tail.len()
        && head.iter().zip(&tail).all(|(&a, &b)| tree.hash(a) == tree.hash(b));
    if !alike || tail.is_empty() {
        return None;
    }
    let mut edits = Edits::drop(end);
    let fits = edits.add(tail[0], Change::put(",", None))
        && tail[1..].iter().all(|&specifier| edits.add(specifier, Change::drop()));
    fits.then(|| Item::new(edits, tail.iter().map(|&t| tree.tokens(t)).sum()))
}

/// The children up to the type, which all declared names share.
fn specifiers(input: &Input<'_>, declaration: NodeId) -> Vec<NodeId> {
    let children: Vec<NodeId> = input.tree.children(declaration).collect();
    let last = children.iter().rposition(|&c| input.is("type", c));
    last.map_or_else(Vec::new, |at| children[..=at].to_vec())
}
