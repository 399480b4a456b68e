//! The names that a program mentions at its top level, where everybody sees them, and those that it
//! mentions only inside of a scope.

use std::sync::Arc;

use minirepro_syntax::{Language, NodeId, Role, Tree};

/// A name in a text.
pub(crate) struct Mentioned {
    /// Where it begins.
    pub(crate) at: usize,
    pub(crate) name: Arc<[u8]>,
    /// Whether everybody sees it.
    pub(crate) is_visible: bool,
}

/// Returns all names of a tree in order. Linear.
pub(crate) fn mentioned(tree: &Tree, language: &Language) -> Vec<Mentioned> {
    let mut found = Vec::new();
    let mut hidden_until = NodeId::ROOT;
    for id in tree.ids() {
        if id >= hidden_until && language.roles.is(Role::Scope, tree.kind(id)) {
            hidden_until = tree.subtree_end(id);
        }
        if tree.is_leaf(id) && language.roles.is(Role::Identifier, tree.kind(id)) {
            let at = tree.span(id).start;
            let is_visible = id >= hidden_until;
            found.push(Mentioned { at, name: tree.text_of(id).into(), is_visible });
        }
    }
    found
}
