//! The names that a program mentions at its top level, where everybody sees them, and those that it
//! mentions only inside of a scope.

use std::collections::HashSet;
use std::sync::Arc;

use minirepro_syntax::{Language, NodeId, Role, Tree};

/// The names of one text or of several.
#[derive(Clone, Debug, Default)]
pub struct Names {
    visible: HashSet<Arc<[u8]>>,
    inside: HashSet<Arc<[u8]>>,
}

impl Names {
    /// Returns those of a tree. Linear.
    pub fn of(tree: &Tree, language: &Language) -> Self {
        let mut names = Self::default();
        for Mentioned { name, is_visible, .. } in mentioned(tree, language) {
            let set = if is_visible { &mut names.visible } else { &mut names.inside };
            set.insert(name);
        }
        names
    }

    /// Names that are mentioned where everybody sees them.
    pub fn visible(&self) -> impl Iterator<Item = &Arc<[u8]>> {
        self.visible.iter()
    }

    /// Adds those of another text.
    pub fn add(&mut self, other: &Self) {
        self.visible.extend(other.visible.iter().cloned());
        self.inside.extend(other.inside.iter().cloned());
    }

    /// Returns the names that are mentioned only inside of something.
    pub fn hidden(&self) -> impl Iterator<Item = &Arc<[u8]>> {
        self.inside.difference(&self.visible)
    }

    /// Returns whether the name is mentioned only inside of something.
    pub fn is_hidden(&self, name: &[u8]) -> bool {
        self.inside.contains(name) && !self.visible.contains(name)
    }

    /// Returns whether the name is mentioned where everybody sees it.
    pub fn is_visible(&self, name: &[u8]) -> bool {
        self.visible.contains(name)
    }
}

/// A name in a text.
pub struct Mentioned {
    /// Where it begins.
    pub at: usize,
    /// The name.
    pub name: Arc<[u8]>,
    /// Whether everybody sees it.
    pub is_visible: bool,
}

/// Returns all names of a tree in order. Linear.
pub fn mentioned(tree: &Tree, language: &Language) -> Vec<Mentioned> {
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
