//! What the grammar says of all children of a node at once, so that asking about each of them is
//! linear in all, not in their square.

use minirepro_syntax::{Kind, Language, NodeId, StateSet, Tree};

/// The states of the automaton of a node around each of its children. Comments and broken regions
/// do not count: they may stand anywhere.
#[derive(Debug)]
pub(crate) struct Siblings {
    children: Vec<NodeId>,
    /// After any number of the children.
    before: Vec<StateSet>,
    /// From which the others lead to an end.
    behind: Vec<StateSet>,
}

impl Siblings {
    /// Returns the states around the children of `parent`; `None` where the grammar says nothing.
    /// Linear in the children.
    pub(crate) fn of(tree: &Tree, language: &Language, parent: NodeId) -> Option<Self> {
        let automaton = language.facts.automaton(tree.kind(parent))?;
        let is_free = |c: &NodeId| tree.flags(*c).extra || tree.flags(*c).error;
        let children: Vec<NodeId> = tree.children(parent).filter(|c| !is_free(c)).collect();
        let kinds: Vec<Kind> = children.iter().map(|&child| tree.kind(child)).collect();
        let (before, behind) = automaton.around(&kinds);
        Some(Self { children, before, behind })
    }

    /// Returns the states before and after the place of `child`. Logarithmic in the children.
    pub(crate) fn around(&self, child: NodeId) -> (&StateSet, &StateSet) {
        let at = self.children.partition_point(|&c| c < child);
        let counts = self.children.get(at) == Some(&child);
        (&self.before[at], &self.behind[at + usize::from(counts)])
    }

    /// Returns how many children count.
    pub(crate) fn len(&self) -> usize {
        self.children.len()
    }
}
