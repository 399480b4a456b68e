//! The part that holds each node of a tree.

use minirepro_syntax::{NodeId, Tree};

/// For each node of a tree the number of its holder, if it has one.
#[derive(Clone, Debug)]
pub(crate) struct Holders(Vec<u32>);

impl Holders {
    /// Has each of these nodes held by its number, with all in it that no other one holds.
    pub(crate) fn of(tree: &Tree, mut held: Vec<(NodeId, usize)>) -> Self {
        let mut all = vec![NONE; tree.len()];
        // What stands in another one comes after it.
        held.sort_unstable();
        for (id, holder) in held {
            all[id.0 as usize..tree.subtree_end(id).0 as usize].fill(number(holder));
        }
        Self(all)
    }

    pub(crate) fn get(&self, id: NodeId) -> Option<usize> {
        Some(self.0[id.0 as usize]).filter(|&holder| holder != NONE).map(|holder| holder as usize)
    }
}

/// Stands for no number.
const NONE: u32 = u32::MAX;

/// Returns a number of which there are fewer than nodes of a tree, or mentions of names.
pub(crate) fn number(number: usize) -> u32 {
    u32::try_from(number).expect("trees have fewer nodes")
}
