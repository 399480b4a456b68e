//! Follows the paths of rules from captured nodes to others.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use minirepro_syntax::{Capture, NodeId, NodePath, PathStep, Role, Wanted};

use crate::PassContext;
use crate::framework::declarations::{
    declarators, declared, declared_name, least_types, only_part, values,
};
use crate::framework::slots::inner_children;
use crate::framework::tags::Tag;
use crate::framework::views::{ListBehind, function_name, lists_of_values, other_name};
use crate::graph::parts::plain_name;
use crate::rules::captures::Captured;

/// Returns the nodes that several paths lead to, each once, in the order in which they are found.
pub(super) fn follow_all(
    context: &PassContext<'_>,
    paths: &[NodePath],
    captured: &Captured,
) -> Vec<NodeId> {
    once_each(paths.iter().flat_map(|path| follow(context, path, captured)).collect())
}

/// Returns the nodes, each at its first place.
fn once_each(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    if nodes.is_sorted() {
        nodes.dedup();
    } else {
        let mut seen = HashSet::new();
        nodes.retain(|&node| seen.insert(node));
    }
    nodes
}

/// Returns whether every path leads somewhere.
pub(super) fn all_lead(context: &PassContext<'_>, paths: &[NodePath], captured: &Captured) -> bool {
    paths.iter().all(|path| !follow(context, path, captured).is_empty())
}

/// Returns whether no path leads anywhere.
pub(super) fn none_leads(
    context: &PassContext<'_>,
    paths: &[NodePath],
    captured: &Captured,
) -> bool {
    paths.iter().all(|path| follow(context, path, captured).is_empty())
}

/// Returns the nodes that a path leads to.
fn follow(context: &PassContext<'_>, path: &NodePath, captured: &Captured) -> Vec<NodeId> {
    let mut nodes = captured.nodes(path.from).to_vec();
    for (number, step) in path.steps.iter().enumerate() {
        if nodes.is_empty() {
            break;
        }
        let limits = match path.steps.get(number + 1) {
            Some(PathStep::In(capture)) => captured.nodes(*capture),
            _ => &[],
        };
        nodes = Walk { context, captured, limits }.step(step, nodes);
    }
    nodes
}

/// To ask of this many nodes where they lie takes as long as to follow a mention.
const NODES_OF_A_MENTION: usize = 16;

/// Of fewer nodes, each is compared with each.
const FEW_NODES: usize = 8;

/// Whether a mention counts among those of its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    With,
    Without,
}

/// Parts of a tree, of which none lies in another, in document order.
struct Regions(Vec<(NodeId, NodeId)>);

impl Regions {
    /// Returns the outermost of some nodes, of which each is given with the end of its subtree.
    fn of(nodes: impl Iterator<Item = (NodeId, NodeId)>) -> Self {
        let mut nodes: Vec<(NodeId, NodeId)> = nodes.collect();
        // Most captures are in order.
        if !nodes.is_sorted() {
            nodes.sort_unstable();
        }
        let mut regions: Vec<(NodeId, NodeId)> = Vec::with_capacity(nodes.len());
        for node in nodes {
            if regions.last().is_none_or(|&(_, end)| node.0 >= end) {
                regions.push(node);
            }
        }
        Self(regions)
    }

    /// Returns whether a node lies in one of them.
    fn contain(&self, node: NodeId) -> bool {
        let before = self.0.partition_point(|&(start, _)| start <= node);
        before > 0 && node < self.0[before - 1].1
    }
}

struct Walk<'a> {
    context: &'a PassContext<'a>,
    captured: &'a Captured,
    /// The nodes that the next step looks into, if it does so.
    limits: &'a [NodeId],
}

impl Walk<'_> {
    fn step(&self, step: &PathStep, nodes: Vec<NodeId>) -> Vec<NodeId> {
        if let Some(chosen) = self.choose(step, &nodes) {
            return chosen;
        }
        let mut reached: Vec<NodeId> = Vec::new();
        match step {
            PathStep::Mentions => self.mentioned(&nodes, Own::With, &mut reached),
            PathStep::Uses => self.mentioned(&nodes, Own::Without, &mut reached),
            _ => self.context.until(nodes).for_each(|node| self.lead(step, node, &mut reached)),
        }
        once_each(reached)
    }

    /// Returns some of the nodes; `None` if the step leads to others.
    fn choose(&self, step: &PathStep, nodes: &[NodeId]) -> Option<Vec<NodeId>> {
        let Self { context, captured, .. } = *self;
        let tree = context.tree;
        let keep = |keeps: &dyn Fn(NodeId) -> bool| {
            Some(nodes.iter().copied().filter(|&node| keeps(node)).collect())
        };
        let like = |capture: &Capture| {
            let others = captured.nodes(*capture);
            others.len() == nodes.len()
                && others.iter().zip(nodes).all(|(&a, &b)| tree.hash(a) == tree.hash(b))
        };
        let all_if = |is_so: bool| Some(if is_so { nodes.to_vec() } else { Vec::new() });
        match step {
            PathStep::Is(selector) => keep(&|node| self.fits(selector, node)),
            PathStep::Not(selector) => keep(&|node| !self.fits(selector, node)),
            PathStep::Under(selector) => {
                keep(&|node| tree.parent(node).is_some_and(|parent| self.fits(selector, parent)))
            }
            PathStep::NotUnder(selector) => {
                keep(&|node| !tree.parent(node).is_some_and(|parent| self.fits(selector, parent)))
            }
            PathStep::Longer(tokens) => keep(&|node| tree.tokens(node) > *tokens),
            PathStep::Same(capture) => {
                let first = captured.first(*capture).map(|first| tree.text_of(first));
                keep(&|node| Some(tree.text_of(node)) == first)
            }
            PathStep::Without(capture) => keep(&|node| {
                !captured.nodes(*capture).iter().any(|&inner| tree.contains(node, inner))
            }),
            PathStep::From(capture) => {
                let first = captured.first(*capture);
                keep(&|node| first.is_some_and(|first| node >= first))
            }
            PathStep::Reads(text) => keep(&|node| tree.text_of(node) == &**text),
            PathStep::Unlike(text) => keep(&|node| tree.text_of(node) != &**text),
            PathStep::In(capture) => Some(self.lying(captured.nodes(*capture), true, nodes)),
            PathStep::Outside(capture) => Some(self.lying(captured.nodes(*capture), false, nodes)),
            PathStep::Before(capture) => {
                let first = captured.nodes(*capture).first().copied();
                keep(&|node| first.is_some_and(|first| node < first))
            }
            PathStep::After(capture) => {
                let end = captured.nodes(*capture).last().map(|&last| tree.subtree_end(last));
                keep(&|node| end.is_some_and(|end| node >= end))
            }
            PathStep::Droppable => keep(&|node| context.is_droppable(node)),
            PathStep::Fixed => keep(&|node| !context.is_droppable(node)),
            PathStep::Leading => keep(&|node| {
                let parent = tree.parent(node);
                parent.is_some_and(|parent| context.elements(parent).next() == Some(node))
            }),
            PathStep::Trailing => keep(&|node| {
                let parent = tree.parent(node);
                parent.is_some_and(|parent| context.elements(parent).last() == Some(node))
            }),
            PathStep::Alone => keep(&|node| context.mentions(node).len() == 1),
            PathStep::Like(capture) => all_if(like(capture)),
            PathStep::First => Some(nodes[..1].to_vec()),
            PathStep::Last => Some(nodes[nodes.len() - 1..].to_vec()),
            PathStep::Rest => Some(nodes[1..].to_vec()),
            PathStep::Most => Some(nodes[..nodes.len() - 1].to_vec()),
            PathStep::Only => all_if(nodes.len() == 1),
            PathStep::Lasts(most) => Some(nodes[nodes.len().saturating_sub(*most)..].to_vec()),
            _ => None,
        }
    }

    /// Returns those of the nodes that lie in one of `around`, or in none of them.
    fn lying(&self, around: &[NodeId], inside: bool, nodes: &[NodeId]) -> Vec<NodeId> {
        let tree = self.context.tree;
        self.context.has_followed((nodes.len() + around.len()) / NODES_OF_A_MENTION);
        let keep = |is_in: &dyn Fn(NodeId) -> bool| {
            nodes.iter().copied().filter(|&node| is_in(node) == inside).collect()
        };
        if nodes.len().min(around.len()) <= FEW_NODES {
            return keep(&|node| around.iter().any(|&outer| tree.contains(outer, node)));
        }
        let regions = Regions::of(around.iter().map(|&outer| (outer, tree.subtree_end(outer))));
        keep(&|node| regions.contain(node))
    }

    /// Adds the nodes to which a step leads from one.
    fn lead(&self, step: &PathStep, node: NodeId, reached: &mut Vec<NodeId>) {
        let context = self.context;
        let tree = context.tree;
        match step {
            PathStep::Field(fields) => reached.extend(
                tree.children(node)
                    .find(|&child| tree.field(child).is_some_and(|field| fields.contains(&field))),
            ),
            PathStep::Part(part) => reached.extend(context.part(node, *part)),
            PathStep::Children => reached.extend(context.elements(node)),
            PathStep::Tokens => {
                reached.extend(tree.children(node).filter(|&child| !tree.is_named(child)));
            }
            PathStep::All => reached.extend(tree.children(node)),
            PathStep::Inner => reached.extend(inner_children(context, node)),
            PathStep::Until(selector) => {
                let children: Vec<NodeId> = tree.children(node).collect();
                let last = children.iter().rposition(|&child| self.fits(selector, child));
                reached.extend_from_slice(last.map_or(&[], |last| &children[..=last]));
            }
            PathStep::Below(selector) => {
                let mut at = NodeId(node.0 + 1);
                while at < tree.subtree_end(node) {
                    if self.fits(selector, at) {
                        reached.push(at);
                        at = tree.subtree_end(at);
                    } else {
                        at = NodeId(at.0 + 1);
                    }
                }
            }
            PathStep::Within(selector) => {
                let below = tree.subtree(node).skip(1);
                reached.extend(below.filter(|&below| self.fits(selector, below)));
            }
            PathStep::Leaves => {
                reached.extend(tree.subtree(node).filter(|&leaf| tree.is_leaf(leaf)));
            }
            PathStep::Parent(selector) => {
                reached.extend(tree.parent(node).filter(|&parent| self.fits(selector, parent)));
            }
            PathStep::Around(selector) => {
                reached.extend(tree.ancestors(node).find(|&around| self.fits(selector, around)));
            }
            PathStep::Outermost(selector) => {
                let around = tree.ancestors(node).filter(|&around| self.fits(selector, around));
                reached.extend(around.last());
            }
            PathStep::Climb(selector) => {
                let mut at = node;
                while let Some(parent) = tree.parent(at).filter(|&parent| {
                    self.fits(selector, parent) && context.elements(parent).last() == Some(at)
                }) {
                    at = parent;
                }
                reached.push(at);
            }
            PathStep::Next => {
                let Some(parent) = tree.parent(node) else { return };
                let mut after = tree.children(parent).skip_while(|&sibling| sibling <= node);
                reached.extend(after.find(|&sibling| !tree.flags(sibling).extra));
            }
            PathStep::Whole => reached.push(only_part(context, node)),
            PathStep::Declared => reached.extend(declared_name(context, node)),
            PathStep::Declarators => reached.extend(declarators(context, node)),
            PathStep::Members => reached.extend(declared(context, node)),
            PathStep::Definition => {
                let declarations = tree.ancestors(node).filter(|&id| {
                    context.is(Role::Declaration, id) || context.is(Role::Function, id)
                });
                let mut declarations = declarations.take(1);
                reached.extend(declarations.find(|&id| plain_name(context, id) == Some(node)));
            }
            PathStep::OtherName => reached.extend(other_name(context, node)),
            PathStep::FunctionName => reached.extend(function_name(context, node)),
            PathStep::List => {
                reached.extend(ListBehind::of(context, node).map(|behind| behind.list));
            }
            PathStep::Values => reached.extend(lists_of_values(context, node)),
            PathStep::LookedUp => reached.extend(Tag::looked_up(context, node)),
            PathStep::Initials => reached.extend(values(context, node)),
            PathStep::Implied => {
                let implied = context.signs(node).implied_type;
                reached.extend(least_types(context, node).filter(|_| implied));
            }
            PathStep::Column(capture) => {
                let place = self.place(*capture);
                reached.extend(place.and_then(|place| context.elements(node).nth(place)));
            }
            // All others choose.
            _ => {}
        }
    }

    /// Adds the mentions of some names, those of each name once.
    fn mentioned(&self, names: &[NodeId], own: Own, reached: &mut Vec<NodeId>) {
        // Mentions of one name are one slice.
        let mut first_of: HashMap<*const NodeId, NodeId> = HashMap::new();
        for node in self.context.until(names.iter().copied()) {
            let mentions = self.mentions(node);
            if mentions.is_empty() {
                continue;
            }
            match first_of.entry(mentions.as_ptr()) {
                // Seen from another of its mentions, the first one is one of the others.
                Entry::Occupied(first) => reached.push(*first.get()),
                Entry::Vacant(first) => {
                    first.insert(node);
                    let is_wanted = |&mention: &NodeId| own == Own::With || mention != node;
                    reached.extend(mentions.iter().copied().filter(is_wanted));
                    self.context.has_followed(mentions.len());
                }
            }
        }
    }

    /// Returns the mentions of a name; nothing else has any. A name may have very many, so those
    /// outside of the node that the next step looks into are left out at once.
    fn mentions(&self, node: NodeId) -> &[NodeId] {
        if !self.context.is_name(node) {
            return &[];
        }
        let all = self.context.mentions(node);
        let [limit] = *self.limits else { return all };
        let end = self.context.tree.subtree_end(limit);
        &all[all.partition_point(|&at| at < limit)..all.partition_point(|&at| at < end)]
    }

    /// Returns the place of a captured node among those found with it, or else among its siblings.
    fn place(&self, capture: Capture) -> Option<usize> {
        let found = self.captured.get(capture);
        found.place.or_else(|| {
            let &node = found.nodes.first()?;
            let parent = self.context.tree.parent(node)?;
            self.context.elements(parent).position(|element| element == node)
        })
    }

    fn fits(&self, selector: &[Wanted], node: NodeId) -> bool {
        let tree = self.context.tree;
        selector.is_empty()
            || selector.iter().any(|wanted| match *wanted {
                Wanted::Role(role) => self.context.is(role, node),
                Wanted::Kind(kind) => tree.kind(node) == kind,
                Wanted::Field(field) => tree.field(node) == Some(field),
                Wanted::Name => self.context.is_name(node),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_contain_what_one_of_their_nodes_contains() {
        let spans = [(2, 9), (3, 5), (20, 21), (6, 7), (12, 15), (13, 14)];
        let nodes = spans.map(|(start, end)| (NodeId(start), NodeId(end)));
        let regions = Regions::of(nodes.into_iter());
        for node in 0..25 {
            let is_in = spans.iter().any(|&(start, end)| start <= node && node < end);
            assert_eq!(regions.contain(NodeId(node)), is_in, "{node}");
        }
        assert!(!Regions::of(std::iter::empty()).contain(NodeId(0)));
    }
}
