//! What the grammar lets stand in a node's place.

use std::collections::BTreeSet;
use std::rc::Rc;

use minirepro_syntax::{Automaton, Kind, NodeId, Placeholder, Role, StateSet};

use crate::PassContext;

/// The states of the automaton of a node around each of its children, so that asking about each of
/// them is linear in all, not in their square. Comments and broken regions do not count: they may
/// stand anywhere.
#[derive(Debug)]
pub(crate) struct Siblings {
    pub(crate) children: Vec<NodeId>,
    /// After any number of the children.
    before: Vec<StateSet>,
    /// From which the others lead to an end.
    behind: Vec<StateSet>,
}

impl Siblings {
    /// Returns the states around the children of `parent`; `None` where the grammar says nothing.
    /// Linear in the children.
    pub(crate) fn of(cx: &PassContext<'_>, parent: NodeId) -> Option<Self> {
        let automaton = cx.language.facts.automaton(cx.kind(parent))?;
        let is_free = |&c: &NodeId| cx.flags(c).extra || cx.flags(c).error;
        let children: Vec<NodeId> = cx.children(parent).filter(|c| !is_free(c)).collect();
        let kinds: Vec<Kind> = children.iter().map(|&child| cx.kind(child)).collect();
        let (before, behind) = automaton.around(&kinds);
        Some(Self { children, before, behind })
    }
}

/// The place of a child among its siblings, as its parent's automaton sees it.
pub(crate) struct Place<'a> {
    id: NodeId,
    known: Option<(&'a Automaton, Rc<Siblings>)>,
    own: Kind,
    /// What the grammar takes here and the language does not.
    never: Option<&'a BTreeSet<Kind>>,
}

impl<'a> Place<'a> {
    /// Returns the place of `id`; linear in the number of its siblings where these are few.
    pub(crate) fn of(cx: &PassContext<'a>, id: NodeId) -> Self {
        let parent = cx.parent(id);
        let never = parent.and_then(|p| cx.language.roles.forbidden.get(&cx.kind(p)));
        let automaton = parent.and_then(|p| cx.language.facts.automaton(cx.kind(p)));
        let known = automaton.zip(parent.and_then(|p| cx.siblings(p)));
        Self { id, known, own: cx.kind(id), never }
    }

    /// Returns whether this sequence of kinds may stand here; where nothing is known, only the kind
    /// that stands here now. Where something stands that the language forbids, anything else that
    /// it forbids is no worse. Logarithmic in the siblings.
    pub(crate) fn takes(&self, kinds: impl IntoIterator<Item = Kind>) -> bool {
        let Some((automaton, siblings)) = &self.known else {
            return kinds.into_iter().eq([self.own]);
        };
        let Siblings { children, before, behind } = &**siblings;
        let at = children.partition_point(|&child| child < self.id);
        let counts = children.get(at) == Some(&self.id);
        let mut states = before[at].clone();
        for kind in kinds {
            if self.never.is_some_and(|never| never.contains(&kind) && !never.contains(&self.own)) {
                return false;
            }
            states = automaton.step(&states, kind);
        }
        !states.is_disjoint(&behind[at + usize::from(counts)])
    }
}

/// Returns the children between the brackets of a list node: all but an anonymous first and last
/// token. Kinds with the role `bracket` (tags) are brackets, too, and the last may be missing.
pub(crate) fn inner_children(cx: &PassContext<'_>, id: NodeId) -> Vec<NodeId> {
    let is_tag = |&id: &NodeId| cx.is(Role::Bracket, id);
    let is_sign = |&id: &NodeId| !cx.is_named(id) && !cx.flags(id).extra;
    let children: Vec<NodeId> = cx.children(id).collect();
    let inner = match &children[..] {
        [first, inner @ .., last] if is_tag(first) && is_tag(last) => inner,
        [first, inner @ ..] if is_tag(first) => inner,
        [first, inner @ .., last] if is_sign(first) && is_sign(last) => inner,
        all => all,
    };
    inner.to_vec()
}

/// Runs of two or more neighbouring children that could stand somewhere without their parent: what
/// is between its brackets, every longest run without a token of its own, and what is between a
/// condition and the next branch.
pub(crate) fn runs(cx: &PassContext<'_>, id: NodeId) -> Vec<Vec<NodeId>> {
    let children: Vec<NodeId> = cx.children(id).collect();
    let mut runs = vec![inner_children(cx, id)];
    runs.retain(|inner| inner.len() < children.len());
    let alike = children.chunk_by(|&a, &b| cx.is_named(a) == cx.is_named(b));
    runs.extend(alike.filter(|run| cx.is_named(run[0])).map(<[NodeId]>::to_vec));
    if cx.is(Role::Conditional, id) {
        for at in 0..runs.len() {
            let mut run = runs[at].clone();
            run.drain(..usize::from(run.first().is_some_and(|&first| cx.is_name(first))));
            run.pop_if(|last| cx.is(Role::Branch, *last));
            runs.push(run);
        }
    }
    runs.retain(|run| run.len() > 1);
    runs.dedup();
    runs
}

/// Returns those of some texts that fit a node's place.
pub(crate) fn fitting<'a>(
    cx: &PassContext<'a>,
    id: NodeId,
    texts: &'a [Placeholder],
) -> impl Iterator<Item = &'a Placeholder> {
    let place = (!texts.is_empty()).then(|| Place::of(cx, id));
    let takes = move |kind| place.as_ref().is_some_and(|place| place.takes([kind]));
    texts.iter().filter(move |(_, kind)| kind.is_none_or(&takes))
}
