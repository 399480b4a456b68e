//! How badly a text fits a grammar.

use std::collections::BTreeSet;

use minirepro_syntax::Interruption;
use tree_sitter::{Language, Node, Parser, Tree};

use crate::tree_sitter::parser::parse;

/// What a grammar finds in a text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fit {
    /// How many bytes it cannot read: those in broken regions, and one for each token that is
    /// missing.
    pub(crate) broken: usize,
    /// How many nodes with names there are.
    pub(crate) nodes: usize,
    /// How many kinds of them.
    pub(crate) kinds: usize,
}

/// Reads a text. Linear in the tree, times a logarithm; nothing is found if there is no parser for
/// the grammar's version, or if it takes too long over a text of another language.
pub(crate) fn fit(grammar: &Language, text: &[u8]) -> Fit {
    let nothing = Fit { broken: text.len(), ..Fit::default() };
    let Some(tree) = parsed(grammar, text) else { return nothing };
    let (mut broken, mut nodes, mut kinds) = (0, 0, BTreeSet::new());
    visit(&tree, &Interruption::default(), |node| {
        if node.is_error() {
            broken += node.byte_range().len().max(1);
            return false;
        }
        broken += usize::from(node.is_missing());
        if node.is_named() {
            nodes += 1;
            kinds.insert(node.kind_id());
        }
        true
    });
    Fit { broken, nodes, kinds: kinds.len() }
}

/// Returns whether a text has keywords or signs, outside of what the grammar cannot read, that the
/// grammar `other` does not know. Linear in the tree.
pub(crate) fn has_tokens_beyond(grammar: &Language, other: &Language, text: &[u8]) -> bool {
    let mut has_own = false;
    let is_own = |node: Node<'_>| {
        let is_token = !node.is_named() && !node.is_missing() && node.child_count() == 0;
        is_token && other.id_for_node_kind(node.kind(), false) == 0
    };
    if let Some(tree) = parsed(grammar, text) {
        visit(&tree, &Interruption::default(), |node| {
            has_own |= is_own(node);
            !has_own && !node.is_error()
        });
    }
    has_own
}

fn parsed(grammar: &Language, text: &[u8]) -> Option<Tree> {
    parse(&mut Parser::new(), grammar, text, None, &Interruption::default())
}

/// Calls `enter` with each node in the order of the text, and goes below those for which it says
/// so. No recursion on depth. Returns whether this came to its end.
pub(super) fn visit<'t>(
    tree: &'t Tree,
    interruption: &Interruption,
    mut enter: impl FnMut(Node<'t>) -> bool,
) -> bool {
    let mut cursor = tree.walk();
    for _ in interruption.until(0u64..) {
        if enter(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
        }
    }
    false
}
