//! The graph of a text: its declarations and bodies, and what each of them mentions. It is made
//! once a text.

use crate::PassContext;
use crate::graph::holders::Holders;
use crate::graph::parts::{Part, parts, values_before};
use crate::graph::uses::Uses;

/// The graph. Its nodes have numbers: first the declarations and bodies that can go, then names.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) parts: Vec<Part>,
    /// How many names have a number.
    pub(crate) names: usize,
    /// What each part makes necessary by what it mentions, and at the end the text around them.
    pub(crate) needs: Vec<Vec<u32>>,
    /// Where the first two are kept, the third is needed.
    pub(crate) together: Vec<[u32; 3]>,
}

impl Graph {
    /// Returns the graph of a text. Linear in the tree, times a small constant for overloads.
    pub(crate) fn of(cx: &PassContext<'_>) -> Self {
        let parts = parts(cx);
        let mut held = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let values = values_before(cx, part.node).filter(|_| part.is_body);
            held.extend(values.chain([part.node]).map(|id| (id, number)));
        }
        let owners = Holders::of(cx, held);
        let uses = Uses::of(cx, &parts, &owners);
        let (needs, names, together) = (uses.needs(), uses.names.len(), uses.together);
        Self { parts, names, needs, together }
    }
}
