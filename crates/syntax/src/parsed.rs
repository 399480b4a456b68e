//! A text as its language reads it: the tree, by the roles of its nodes and the fields of the
//! grammar.

use std::iter::once;
use std::ops::Deref;

use crate::{FieldRole, Kind, Language, NodeId, Role, Tree};

/// A tree with its language. It is asked what a tree is asked.
#[derive(Clone, Copy, Debug)]
pub struct Parsed<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The language.
    pub language: &'a Language,
}

impl Deref for Parsed<'_> {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        self.tree
    }
}

impl<'a> Parsed<'a> {
    /// Returns whether the node plays a role.
    pub fn is(self, role: Role, id: NodeId) -> bool {
        self.language.roles.is(role, self.kind(id))
    }

    /// Returns whether the node plays one of several roles.
    pub fn is_any(self, roles: &[Role], id: NodeId) -> bool {
        roles.iter().any(|&role| self.is(role, id))
    }

    /// Returns whether a node around this one plays a role.
    pub fn is_in(self, role: Role, id: NodeId) -> bool {
        self.ancestors(id).any(|around| self.is(role, around))
    }

    /// Returns the parent of a node, if it plays a role.
    pub fn parent_that(self, role: Role, id: NodeId) -> Option<NodeId> {
        self.parent(id).filter(|&parent| self.is(role, parent))
    }

    /// Returns whether the node is a leaf that is a name.
    pub fn is_name(self, id: NodeId) -> bool {
        self.is_leaf(id) && self.is(Role::Identifier, id)
    }

    /// Returns the text of a node.
    pub fn text_of(self, id: NodeId) -> &'a [u8] {
        self.tree.text_of(id)
    }

    /// Returns a node and those around it, innermost first.
    pub fn around(self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        once(id).chain(self.tree.ancestors(id))
    }

    /// Returns the leaves below a node, or the node itself if it is one.
    pub fn leaves_in(self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<'a> {
        self.tree.subtree(id).filter(move |&leaf| self.is_leaf(leaf))
    }

    /// Returns the names below a node, or the node itself if it is one.
    pub fn names_in(self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<'a> {
        self.tree.subtree(id).filter(move |&name| self.is_name(name))
    }

    /// Returns the children that are no signs and no comments: what a list holds.
    pub fn elements(self, list: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        self.tree.children(list).filter(move |&c| self.is_named(c) && !self.flags(c).extra)
    }

    /// Returns those of some nodes, in document order, that stand in no other one.
    pub fn outermost<I>(self, ids: I) -> impl Iterator<Item = NodeId> + use<'a, I>
    where
        I: IntoIterator<Item = NodeId>,
    {
        let mut end = NodeId(0);
        ids.into_iter().filter(move |&id| {
            let is_outermost = id >= end;
            end = end.max(self.subtree_end(id));
            is_outermost
        })
    }

    /// Returns the innermost node that has all the text of this one.
    pub fn innermost(self, id: NodeId) -> NodeId {
        let all =
            |&at: &NodeId| self.children(at).next().filter(|&c| self.span(c) == self.span(at));
        std::iter::successors(Some(id), all).last().unwrap_or(id)
    }

    /// Returns the kinds of some children, as far as the grammar says where they may stand.
    pub fn kinds_of(self, children: &[NodeId]) -> impl Iterator<Item = Kind> {
        children.iter().filter(move |&&c| !self.flags(c).extra).map(move |&c| self.kind(c))
    }

    /// Returns whether the grammar gives a node this part in its parent.
    pub fn plays(self, role: FieldRole, id: NodeId) -> bool {
        let fields = self.language.roles.fields(role);
        self.field(id).is_some_and(|field| fields.contains(&field))
    }

    /// Returns the part of a node that the grammar names so.
    pub fn part(self, id: NodeId, role: FieldRole) -> Option<NodeId> {
        self.children(id).find(|&child| self.plays(role, child))
    }

    /// Returns the name of what a node defines, if that is a plain name.
    pub fn name_part(self, id: NodeId) -> Option<NodeId> {
        self.part(id, FieldRole::Name).filter(|&name| self.is_name(name))
    }
}
