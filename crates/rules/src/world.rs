//! What rules ask about the text that they are matched on; passes answer.

use std::ops::Deref;

use minirepro_syntax::{Edits, Field, Kind, NodeId, Parsed};

use crate::path::Word;

/// A text as rules see it.
pub trait World {
    /// Returns it as its language reads it.
    fn parsed(&self) -> Parsed<'_>;
    /// Returns the nodes of some kinds, in document order.
    fn of_kinds(&self, kinds: &mut dyn Iterator<Item = Kind>) -> Vec<NodeId>;
    /// Returns all mentions of a name, in document order.
    fn mentions(&self, name: NodeId) -> &[NodeId];
    /// Returns whether the grammar can do without a node.
    fn is_droppable(&self, node: NodeId) -> bool;
    /// Returns whether the grammar lets a node of that kind stand in a place.
    fn takes(&self, place: NodeId, kind: Kind) -> bool;
    /// Returns where a word leads that speaks of declarations or functions, or a string of a
    /// script.
    fn related(&self, word: Word, node: NodeId) -> Vec<NodeId>;
    /// Adds the edits that take a mention away, with as much around it as the grammar demands;
    /// `false` if there is no way.
    fn remove(&self, mention: NodeId, edits: &mut Edits) -> bool;
    /// Returns the shortest name that nothing has.
    fn fresh(&self) -> Vec<u8>;
    /// Counts mentions that were followed.
    fn has_followed(&self, mentions: usize);
    /// Returns whether more may be followed.
    fn may_follow(&self) -> bool;
}

/// A text and what is known of it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) world: &'a dyn World,
    parsed: Parsed<'a>,
}

impl<'a> Deref for View<'a> {
    type Target = Parsed<'a>;

    fn deref(&self) -> &Parsed<'a> {
        &self.parsed
    }
}

impl<'a> View<'a> {
    pub(crate) fn new(world: &'a dyn World) -> Self {
        Self { world, parsed: world.parsed() }
    }

    pub(crate) fn stands_in(&self, fields: &[Field], node: NodeId) -> bool {
        self.field(node).is_some_and(|field| fields.contains(&field))
    }
}
