//! Gives a node another form that its language's manifest offers, with parts of it in new places.

use std::sync::Arc;

use minirepro_syntax::{
    Capture, Captures, Change, Edits, NodeId, Piece, Rewrite, TemplatePart, Tree, name_in,
};

use crate::framework::slots::Place;
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes every form of every node that is smaller and that the place takes, smallest result
/// first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mut items = all(context, false);
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    Proposal::new(context.untried(items), Strategy::Gallop)
}

/// Proposes every form of every node that is not smaller.
pub(crate) fn propose_larger(context: &PassContext<'_>) -> Option<Proposal> {
    Proposal::new(context.untried(all(context, true)), Strategy::Single)
}

fn all(context: &PassContext<'_>, larger: bool) -> Vec<Item> {
    let nodes = context.ids().rev().filter(|&id| id != NodeId::ROOT);
    nodes.flat_map(|id| items(context, id, larger)).collect()
}

fn items(context: &PassContext<'_>, id: NodeId, larger: bool) -> Vec<Item> {
    let tree = context.tree;
    let Some(rewrites) = context.language.roles.rewrites.get(&tree.kind(id)) else {
        return Vec::new();
    };
    let place = Place::of(context, id);
    let roles = &context.language.roles;
    let mut items = Vec::new();
    let is_wanted = |rewrite: &&Rewrite| {
        rewrite.effort <= context.effort && rewrite.kind.is_none_or(|kind| place.takes([kind]))
    };
    for rewrite in rewrites.iter().filter(is_wanted) {
        for captures in rewrite.matches(tree, |role, kind| roles.is(role, kind), id) {
            let Some(form) = Form::of(tree, rewrite, &captures) else { continue };
            if (form.tokens >= tree.tokens(id)) == larger {
                let weight = tree.tokens(id).saturating_sub(form.tokens);
                items.push(Item::new(Edits::one(id, form.change), weight).by(&rewrite.rule));
            }
        }
    }
    items
}

/// A form that a node can take.
struct Form {
    change: Change,
    /// The tokens that it leaves.
    tokens: u32,
}

impl Form {
    /// Fills a rewrite's template; `None` if something in it was not captured.
    fn of(tree: &Tree, rewrite: &Rewrite, captures: &Captures) -> Option<Self> {
        let mut form = Self { change: Change(Vec::new()), tokens: 0 };
        for part in &rewrite.template {
            match part {
                TemplatePart::Token(text) => form.push(Piece::Text(text.clone(), None), 1),
                TemplatePart::Node(Capture(number)) => {
                    let &node = captures[*number].first()?;
                    form.push(Piece::Node(node), tree.tokens(node));
                }
                TemplatePart::Nodes(Capture(number)) => {
                    for &node in &captures[*number] {
                        form.push(Piece::Node(node), tree.tokens(node));
                    }
                }
                TemplatePart::NameIn(Capture(number)) => {
                    let name = name_in(tree.text_of(*captures[*number].first()?))?;
                    form.push(Piece::Text(name.into(), None), 1);
                }
            }
        }
        let is_node = |piece: &Piece| matches!(piece, Piece::Node(_));
        let is_as_said =
            matches!(form.change.0[..], [Piece::Node(id)] if Some(tree.kind(id)) == rewrite.kind);
        if rewrite.kind.is_some() && !is_as_said && form.change.0.iter().all(is_node) {
            // They become a node of another kind, so that only a parser can tell whether it fits.
            form.push(Piece::Text(Arc::from([]), None), 0);
        }
        Some(form)
    }

    fn push(&mut self, piece: Piece, tokens: u32) {
        self.change.0.push(piece);
        self.tokens += tokens;
    }
}
