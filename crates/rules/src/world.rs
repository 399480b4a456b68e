//! What rules ask about the text that they are matched on; passes answer.

use std::cell::Cell;

use minirepro_syntax::{Change, Edits, Field, Kind, Language, NodeId, Role, Tree};

use crate::path::Word;

/// A text as rules see it.
pub trait World {
    /// Returns its tree and its language.
    fn tree_and_language(&self) -> (&Tree, &Language);
    /// Returns the nodes of some kinds, in document order.
    fn of_kinds(&self, kinds: &mut dyn Iterator<Item = Kind>) -> Vec<NodeId>;
    /// Returns all mentions of a name, in document order.
    fn mentions(&self, name: NodeId) -> &[NodeId];
    /// Returns whether the grammar can do without a node.
    fn is_droppable(&self, node: NodeId) -> bool;
    /// Returns whether the grammar lets nodes of these kinds stand in a place.
    fn takes(&self, place: NodeId, kinds: &[Kind]) -> bool;
    /// Returns where a word leads that is about declarations or functions, or a string of a
    /// script.
    fn related(&self, word: Word, node: NodeId) -> Vec<NodeId>;
    /// Adds the edits that take a mention away, with as much around it as the grammar demands;
    /// `false` if there is no way.
    fn remove(&self, mention: NodeId, edits: &mut Edits) -> bool;
    /// Returns the change to a text that may stand in a place: from the least on, the one with this
    /// number, counted from 0.
    fn least(&self, place: NodeId, number: usize) -> Option<Change>;
    /// Returns the shortest name that nothing has.
    fn fresh(&self) -> Vec<u8>;
    /// Returns how many mentions of names may be followed.
    fn most_followed(&self) -> usize;
}

/// A text with what is asked of it most often.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) world: &'a dyn World,
    pub(crate) tree: &'a Tree,
    pub(crate) language: &'a Language,
    /// The mentions of names that were followed.
    pub(crate) followed: &'a Cell<usize>,
}

impl<'a> View<'a> {
    pub(crate) fn is(&self, role: Role, node: NodeId) -> bool {
        self.language.roles.is(role, self.tree.kind(node))
    }

    pub(crate) fn is_name(&self, node: NodeId) -> bool {
        self.tree.is_leaf(node) && self.is(Role::Identifier, node)
    }

    /// Returns the children that are no signs and no comments.
    pub(crate) fn elements(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let tree = self.tree;
        tree.children(node).filter(|&child| tree.is_named(child) && !tree.flags(child).extra)
    }

    pub(crate) fn is_in(&self, fields: &[Field], node: NodeId) -> bool {
        self.tree.field(node).is_some_and(|field| fields.contains(&field))
    }
}
