//! Gives a node another form that its language's manifest offers, with parts of it in new places.

use minirepro_syntax::{Change, Edits, NodeId, Piece, Rewrite, RewritePart};

use crate::places::Place;
use crate::{Input, Item, Proposal, Strategy};

/// Every form of every node that is smaller and that the place takes, smallest result first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let mut items = all(input, false);
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    Proposal::new(input.fresh(items), Strategy::Gallop)
}

/// Every form of every node that is not smaller.
pub(crate) fn propose_larger(input: &Input<'_>) -> Option<Proposal> {
    Proposal::new(input.fresh(all(input, true)), Strategy::Single)
}

fn all(input: &Input<'_>, larger: bool) -> Vec<Item> {
    let nodes = input.tree.ids().rev().filter(|&id| id != NodeId::ROOT);
    nodes.flat_map(|id| items(input, id, larger)).collect()
}

fn items(input: &Input<'_>, id: NodeId, larger: bool) -> Vec<Item> {
    let tree = input.tree;
    let Some(rewrites) = input.language.roles.rewrites.get(&tree.kind(id)) else {
        return Vec::new();
    };
    let place = Place::of(tree, input.language, id);
    let fitting = rewrites.iter().filter(|r| {
        r.kind.is_none_or(|kind| place.takes([kind]))
            && (r.holds.is_empty() || tree.children(id).any(|c| r.holds.contains(&tree.kind(c))))
    });
    fitting
        .flat_map(|rewrite| forms(input, id, rewrite))
        .filter(|(_, tokens)| (*tokens >= tree.tokens(id)) == larger)
        .map(|(change, tokens)| {
            Item::new(Edits::one(id, change), tree.tokens(id).saturating_sub(tokens))
        })
        .collect()
}

/// The changes that a rewrite stands for, each with the tokens that it leaves.
fn forms(input: &Input<'_>, id: NodeId, rewrite: &Rewrite) -> Vec<(Change, u32)> {
    let children: Vec<NodeId> = input.elements(id).collect();
    let mut forms: Vec<(Vec<Piece>, u32)> = vec![(Vec::new(), 0)];
    for part in &rewrite.parts {
        let choices: Vec<(Piece, u32)> = match part {
            RewritePart::Text(text) => vec![(Piece::Text(text.clone(), None), 1)],
            RewritePart::Child(path) => node(input, descend(input, id, path).as_ref()),
            RewritePart::Last => node(input, children.last()),
            RewritePart::Below(role) => {
                uppermost(input, id, role).iter().flat_map(|n| node(input, Some(n))).collect()
            }
        };
        forms = forms
            .into_iter()
            .flat_map(|(pieces, tokens)| {
                choices.iter().map(move |(piece, more)| {
                    let mut pieces = pieces.clone();
                    pieces.push(piece.clone());
                    (pieces, tokens + more)
                })
            })
            .collect();
    }
    forms.into_iter().map(|(pieces, tokens)| (Change(pieces), tokens)).collect()
}

/// The named child of that number, its named child of the next number, and so on.
fn descend(input: &Input<'_>, id: NodeId, path: &[usize]) -> Option<NodeId> {
    path.iter().try_fold(id, |at, &number| input.elements(at).nth(number))
}

fn node(input: &Input<'_>, id: Option<&NodeId>) -> Vec<(Piece, u32)> {
    id.map(|&id| (Piece::Node(id), input.tree.tokens(id))).into_iter().collect()
}

/// The nodes below `id` that play a role, without those below others that do.
fn uppermost(input: &Input<'_>, id: NodeId, role: &str) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut at = NodeId(id.0 + 1);
    while at < input.tree.subtree_end(id) {
        if input.is(role, at) {
            found.push(at);
            at = input.tree.subtree_end(at);
        } else {
            at = NodeId(at.0 + 1);
        }
    }
    found
}
