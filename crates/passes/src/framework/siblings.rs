//! What the grammar says of all children of a node at once, so that asking about each of them is
//! linear in all, not in their square.

use minirepro_syntax::{Language, NodeId, StateSet, Tree};

/// The states of the automaton of a node around each of its children. Comments and broken regions
/// do not count: they may stand anywhere.
#[derive(Debug)]
pub(crate) struct Siblings {
    children: Vec<NodeId>,
    /// After this many of the children.
    forward: Vec<StateSet>,
    /// Before the child with this number, counted back from the end.
    backward: Vec<StateSet>,
}

impl Siblings {
    /// Returns the states around the children of `parent`; `None` where the grammar says nothing.
    /// Linear in the children.
    pub(crate) fn of(tree: &Tree, language: &Language, parent: NodeId) -> Option<Self> {
        let automaton = language.facts.automaton(tree.kind(parent))?;
        let is_free = |c: &NodeId| tree.flags(*c).extra || tree.flags(*c).error;
        let children: Vec<NodeId> = tree.children(parent).filter(|c| !is_free(c)).collect();
        let forward =
            states(automaton.start(), &children, |states, &c| automaton.step(states, tree.kind(c)));
        let mut backward = states(automaton.ends().clone(), children.iter().rev(), |states, &c| {
            automaton.step_back(states, tree.kind(c))
        });
        backward.reverse();
        Some(Self { children, forward, backward })
    }

    /// Returns the states before and after the place of `child`. Logarithmic in the children.
    pub(crate) fn around(&self, child: NodeId) -> (&StateSet, &StateSet) {
        let at = self.children.partition_point(|&c| c < child);
        let counts = self.children.get(at) == Some(&child);
        (&self.forward[at], &self.backward[at + usize::from(counts)])
    }

    /// Returns how many children count.
    pub(crate) fn len(&self) -> usize {
        self.children.len()
    }
}

/// Returns the first states and those after each step.
fn states<'a>(
    first: StateSet,
    children: impl IntoIterator<Item = &'a NodeId>,
    step: impl Fn(&StateSet, &NodeId) -> StateSet,
) -> Vec<StateSet> {
    let mut all = vec![first];
    for child in children {
        all.push(step(&all[all.len() - 1], child));
    }
    all
}
