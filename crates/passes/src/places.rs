//! What the grammar lets stand in a node's place. Knows no pass.

use std::collections::BTreeSet;

use minirepro_syntax::{Automaton, Kind, Language, NodeId, StateSet, Tree};

use crate::Input;

/// The place of a child among its siblings, as its parent's automaton sees it.
pub(crate) struct Place<'a> {
    automaton: Option<&'a Automaton>,
    before: Option<StateSet>,
    after: Option<StateSet>,
    own: Kind,
    /// What the grammar takes here and the language does not.
    never: Option<&'a BTreeSet<Kind>>,
}

impl<'a> Place<'a> {
    /// The place of `id`; linear in the number of its siblings.
    pub(crate) fn of(tree: &Tree, language: &'a Language, id: NodeId) -> Self {
        let own = tree.kind(id);
        let unknown = Self { automaton: None, before: None, after: None, own, never: None };
        let Some(parent) = tree.parent(id) else { return unknown };
        let never = language.roles.never.get(&tree.kind(parent));
        let Some(automaton) = language.facts.automaton(tree.kind(parent)) else { return unknown };
        let siblings: Vec<NodeId> = tree
            .children(parent)
            .filter(|&c| c == id || !tree.flags(c).extra && !tree.flags(c).error)
            .collect();
        let Some(at) = siblings.iter().position(|&c| c == id) else { return unknown };
        let mut before = automaton.start();
        for &c in &siblings[..at] {
            before = automaton.step(&before, tree.kind(c));
        }
        let mut after = automaton.ends();
        for &c in siblings[at + 1..].iter().rev() {
            after = automaton.step_back(&after, tree.kind(c));
        }
        Self { automaton: Some(automaton), before: Some(before), after: Some(after), own, never }
    }

    /// Whether this sequence of kinds may stand here; where nothing is known, only the kind that
    /// stands here now.
    pub(crate) fn takes(&self, kinds: impl IntoIterator<Item = Kind>) -> bool {
        let (Some(automaton), Some(before), Some(after)) =
            (self.automaton, &self.before, &self.after)
        else {
            return kinds.into_iter().eq([self.own]);
        };
        let mut states = before.clone();
        for kind in kinds {
            if self.never.is_some_and(|never| never.contains(&kind)) {
                return false;
            }
            states = automaton.step(&states, kind);
        }
        states.meets(after)
    }
}

/// The children between the brackets of a list node: all but an anonymous first and last token. Kinds
/// with the role `bracket` (tags) are brackets, too, and the last may be missing.
pub(crate) fn inner_children(input: &Input<'_>, id: NodeId) -> Vec<NodeId> {
    let tree = input.tree;
    let mut inner: Vec<NodeId> = tree.children(id).collect();
    if inner.first().is_some_and(|&first| input.is("bracket", first)) {
        inner.remove(0);
        inner.pop_if(|last| input.is("bracket", *last));
        return inner;
    }
    let bracket = |c: &NodeId| !tree.is_named(*c) && !tree.flags(*c).extra;
    if inner.len() >= 2 && inner.first().is_some_and(bracket) && inner.last().is_some_and(bracket) {
        inner.pop();
        inner.remove(0);
    }
    inner
}

/// Runs of two or more neighbouring children that could stand somewhere without their parent: what
/// is between its brackets, and every longest run without a token of its own.
pub(crate) fn runs(input: &Input<'_>, id: NodeId) -> Vec<Vec<NodeId>> {
    let tree = input.tree;
    let inner = inner_children(input, id);
    let children: Vec<NodeId> = tree.children(id).collect();
    let mut runs = Vec::new();
    if inner.len() < children.len() {
        runs.push(inner);
    }
    runs.extend(
        children
            .chunk_by(|&a, &b| tree.is_named(a) == tree.is_named(b))
            .filter(|run| tree.is_named(run[0]))
            .map(<[NodeId]>::to_vec),
    );
    if input.is("conditional", id) {
        runs.extend(runs.clone().into_iter().map(|run| branch(input, run)));
    }
    runs.retain(|run| run.len() > 1);
    runs.dedup();
    runs
}

/// What stands between a condition and the next branch.
fn branch(input: &Input<'_>, mut run: Vec<NodeId>) -> Vec<NodeId> {
    let is_condition = |&first: &NodeId| input.is_name(first);
    if run.first().is_some_and(is_condition) {
        run.remove(0);
    }
    run.pop_if(|last| input.is("branch", *last));
    run
}
