//! How badly a text fits a grammar.

use std::collections::BTreeSet;

use tree_sitter::{Language, Parser};

/// What a grammar finds in a text.
#[derive(Clone, Copy, Debug)]
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
/// the grammar's version.
pub(crate) fn fit(grammar: &Language, text: &[u8]) -> Fit {
    let mut parser = Parser::new();
    let tree = match parser.set_language(grammar) {
        Ok(()) => parser.parse(text, None),
        Err(_) => None,
    };
    let Some(tree) = tree else { return Fit { broken: text.len(), nodes: 0, kinds: 0 } };
    let mut broken = 0;
    let mut nodes = 0;
    let mut kinds = BTreeSet::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() {
            broken += node.byte_range().len().max(1);
        } else {
            broken += usize::from(node.is_missing());
            if node.is_named() {
                nodes += 1;
                kinds.insert(node.kind_id());
            }
            if cursor.goto_first_child() {
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Fit { broken, nodes, kinds: kinds.len() };
            }
        }
    }
}

/// Returns whether a text has keywords or signs, outside of what the grammar cannot read, that the
/// grammar `other` does not know. Linear in the tree.
pub(crate) fn has_tokens_beyond(grammar: &Language, other: &Language, text: &[u8]) -> bool {
    let mut parser = Parser::new();
    let parsed = parser.set_language(grammar).ok().and_then(|()| parser.parse(text, None));
    let Some(tree) = parsed else { return false };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_own = !node.is_named()
            && !node.is_missing()
            && node.child_count() == 0
            && other.id_for_node_kind(node.kind(), false) == 0;
        if is_own {
            return true;
        }
        if !node.is_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}
