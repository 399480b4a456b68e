//! What the captures of a match stand for.

use minirepro_syntax::{Capture, NodeId};

/// The nodes of one capture.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) nodes: Vec<NodeId>,
    /// The place among the nodes that were found with it, where there is one match for each.
    pub(super) place: Option<usize>,
}

/// The nodes of all captures.
#[derive(Clone, Debug)]
pub(super) struct Captured(Vec<Found>);

impl Captured {
    /// Creates this many captures, of which the first is the subject.
    pub(super) fn new(number: usize, subject: NodeId) -> Self {
        let mut captured = Self(vec![Found::default(); number]);
        captured.set(Capture(0), vec![subject]);
        captured
    }

    pub(super) fn set(&mut self, Capture(number): Capture, nodes: Vec<NodeId>) {
        self.0[number] = Found { nodes, place: None };
    }

    pub(super) fn set_one(&mut self, Capture(number): Capture, node: NodeId, place: usize) {
        self.0[number] = Found { nodes: vec![node], place: Some(place) };
    }

    pub(super) fn get(&self, Capture(number): Capture) -> &Found {
        &self.0[number]
    }

    pub(super) fn nodes(&self, capture: Capture) -> &[NodeId] {
        &self.get(capture).nodes
    }

    pub(super) fn first(&self, capture: Capture) -> Option<NodeId> {
        self.nodes(capture).first().copied()
    }
}
