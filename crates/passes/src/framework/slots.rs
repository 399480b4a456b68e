//! What the grammar lets stand in a node's place.

use std::collections::BTreeSet;
use std::rc::Rc;

use minirepro_syntax::{Automaton, Kind, NodeId, Role};

use crate::PassContext;
use crate::framework::siblings::Siblings;

/// The place of a child among its siblings, as its parent's automaton sees it.
pub(crate) struct Place<'a> {
    id: NodeId,
    automaton: Option<&'a Automaton>,
    siblings: Option<Rc<Siblings>>,
    own: Kind,
    /// What the grammar takes here and the language does not.
    never: Option<&'a BTreeSet<Kind>>,
}

impl<'a> Place<'a> {
    /// Returns the place of `id`; linear in the number of its siblings where these are few.
    pub(crate) fn of(cx: &PassContext<'a>, id: NodeId) -> Self {
        let parent = cx.parent(id);
        Self {
            id,
            automaton: parent.and_then(|p| cx.language.facts.automaton(cx.kind(p))),
            siblings: parent.and_then(|p| cx.siblings(p)),
            own: cx.kind(id),
            never: parent.and_then(|p| cx.language.roles.forbidden.get(&cx.kind(p))),
        }
    }

    /// Returns whether this sequence of kinds may stand here; where nothing is known, only the kind
    /// that stands here now. Where something stands that the language forbids, anything else that
    /// it forbids is no worse.
    pub(crate) fn takes(&self, kinds: impl IntoIterator<Item = Kind>) -> bool {
        let (Some(automaton), Some(siblings)) = (self.automaton, &self.siblings) else {
            return kinds.into_iter().eq([self.own]);
        };
        let (before, behind) = siblings.around(self.id);
        let mut states = before.clone();
        for kind in kinds {
            if self.never.is_some_and(|never| never.contains(&kind) && !never.contains(&self.own)) {
                return false;
            }
            states = automaton.step(&states, kind);
        }
        !states.is_disjoint(behind)
    }
}

/// Returns the children between the brackets of a list node: all but an anonymous first and last
/// token. Kinds with the role `bracket` (tags) are brackets, too, and the last may be missing.
pub(crate) fn inner_children(cx: &PassContext<'_>, id: NodeId) -> Vec<NodeId> {
    let mut inner: Vec<NodeId> = cx.children(id).collect();
    if inner.first().is_some_and(|&first| cx.is(Role::Bracket, first)) {
        inner.remove(0);
        inner.pop_if(|last| cx.is(Role::Bracket, *last));
        return inner;
    }
    let bracket = |c: &NodeId| !cx.is_named(*c) && !cx.flags(*c).extra;
    if inner.len() >= 2 && inner.first().is_some_and(bracket) && inner.last().is_some_and(bracket) {
        inner.pop();
        inner.remove(0);
    }
    inner
}

/// Runs of two or more neighbouring children that could stand somewhere without their parent: what
/// is between its brackets, and every longest run without a token of its own.
pub(crate) fn runs(cx: &PassContext<'_>, id: NodeId) -> Vec<Vec<NodeId>> {
    let inner = inner_children(cx, id);
    let children: Vec<NodeId> = cx.children(id).collect();
    let mut runs = Vec::new();
    if inner.len() < children.len() {
        runs.push(inner);
    }
    runs.extend(
        children
            .chunk_by(|&a, &b| cx.is_named(a) == cx.is_named(b))
            .filter(|run| cx.is_named(run[0]))
            .map(<[NodeId]>::to_vec),
    );
    if cx.is(Role::Conditional, id) {
        runs.extend(runs.clone().into_iter().map(|run| branch(cx, run)));
    }
    runs.retain(|run| run.len() > 1);
    runs.dedup();
    runs
}

/// Returns the nodes between a condition and the next branch.
fn branch(cx: &PassContext<'_>, mut run: Vec<NodeId>) -> Vec<NodeId> {
    let is_condition = |&first: &NodeId| cx.is_name(first);
    if run.first().is_some_and(is_condition) {
        run.remove(0);
    }
    run.pop_if(|last| cx.is(Role::Branch, *last));
    run
}
