//! Gives a node another form that its language's manifest offers, with parts of it in new places.

use minirepro_syntax::{Change, Edits, NodeId, Piece, Rewrite, RewritePart};

use crate::places::Place;
use crate::{Input, Item, Proposal, Strategy};

/// Every form of every node that is smaller and that the place takes, smallest result first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let nodes = input.tree.ids().filter(|&id| id != NodeId::ROOT);
    let mut items: Vec<Item> = nodes.flat_map(|id| items(input, id)).collect();
    items.reverse();
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    Proposal::new(input.fresh(items), Strategy::Gallop)
}

fn items(input: &Input<'_>, id: NodeId) -> Vec<Item> {
    let tree = input.tree;
    let Some(rewrites) = input.language.roles.rewrites.get(&tree.kind(id)) else {
        return Vec::new();
    };
    let place = Place::of(tree, input.language, id);
    let fitting = rewrites.iter().filter(|r| r.kind.is_none_or(|kind| place.takes([kind])));
    fitting
        .flat_map(|rewrite| forms(input, id, rewrite))
        .filter(|(_, tokens)| *tokens < tree.tokens(id))
        .map(|(change, tokens)| Item::new(Edits::one(id, change), tree.tokens(id) - tokens))
        .collect()
}

/// The changes that a rewrite stands for, each with the tokens that it leaves.
fn forms(input: &Input<'_>, id: NodeId, rewrite: &Rewrite) -> Vec<(Change, u32)> {
    let children: Vec<NodeId> = input.elements(id).collect();
    let mut forms: Vec<(Vec<Piece>, u32)> = vec![(Vec::new(), 0)];
    for part in &rewrite.parts {
        let choices: Vec<(Piece, u32)> = match part {
            RewritePart::Text(text) => vec![(Piece::Text(text.clone(), None), 1)],
            RewritePart::Child(number) => node(input, children.get(*number)),
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
