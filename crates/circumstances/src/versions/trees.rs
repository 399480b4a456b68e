//! The differences between two trees, opened step by step from the root down, then character by
//! character.

use std::ops::Range;

use minirepro_syntax::{NodeId, Tree};

use crate::patch::align::align;
use crate::versions::merge::{Merge, Segments};

/// A node of the old tree, of the new one, or one of each, to be opened this many steps.
type Work = (Option<NodeId>, Option<NodeId>, usize);

/// Opens the differences of a merge, whose ends have these trees: the nodes in them are replaced
/// by their children, `steps` times. Nodes with equal tokens and kinds are common; others of one
/// kind that stand side by side stand for each other; all else was added or taken away. Blank space
/// belongs to what stands after it.
///
/// Near linear in the nodes that are opened; no recursion on depth.
pub(crate) fn open(old: &Tree, new: &Tree, merge: &Merge, steps: usize) -> Merge {
    let opened = Opened { old, new };
    let mut parts = Segments::default();
    for part in &merge.parts {
        if !part.common {
            let mut stack = Vec::new();
            opened.align(&nodes_in(old, &part.old), &nodes_in(new, &part.new), steps, &mut stack);
            stack.reverse();
            opened.run(stack, &mut parts);
        }
        opened.push(&mut parts, part.old.end, part.new.end, part.common);
    }
    merge.cut(parts.all)
}

/// Returns the uppermost nodes with text that lie in a span.
fn nodes_in(tree: &Tree, span: &Range<usize>) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut at = NodeId::ROOT;
    while at < tree.subtree_end(NodeId::ROOT) {
        let own = tree.span(at);
        let inside = span.start <= own.start && own.end <= span.end && !own.is_empty();
        if inside {
            found.push(at);
        }
        let apart = own.end <= span.start || span.end <= own.start;
        at = if inside || apart { tree.subtree_end(at) } else { NodeId(at.0 + 1) };
    }
    found
}

struct Opened<'a> {
    old: &'a Tree,
    new: &'a Tree,
}

impl Opened<'_> {
    /// Nodes in order → parts.
    fn run(&self, mut stack: Vec<Work>, parts: &mut Segments) {
        let (old, new) = (self.old, self.new);
        let children = |tree: &Tree, id: Option<NodeId>| -> Vec<NodeId> {
            id.into_iter().flat_map(|id| tree.children(id)).collect()
        };
        while let Some((o, n, steps)) = stack.pop() {
            let is_common = o.zip(n).is_some_and(|(o, n)| same(old, o) == same(new, n));
            let is_leaf = |tree: &Tree, id: Option<NodeId>| id.is_some_and(|id| tree.is_leaf(id));
            if is_common || steps == 0 || is_leaf(old, o) || is_leaf(new, n) {
                let end =
                    |tree: &Tree, id: Option<NodeId>, at| id.map_or(at, |id| tree.span(id).end);
                let ends = (end(old, o, parts.end.0), end(new, n, parts.end.1));
                self.push(parts, ends.0, ends.1, is_common);
                continue;
            }
            let start = stack.len();
            let (olds, news) = (children(old, o), children(new, n));
            if o.is_some() && n.is_some() {
                self.align(&olds, &news, steps - 1, &mut stack);
            } else {
                stack.extend(olds.into_iter().map(|id| (Some(id), None, steps - 1)));
                stack.extend(news.into_iter().map(|id| (None, Some(id), steps - 1)));
            }
            stack[start..].reverse();
        }
    }

    /// Aligns two lists of nodes by their tokens; what is left between these by kind.
    fn align(&self, olds: &[NodeId], news: &[NodeId], steps: usize, work: &mut Vec<Work>) {
        let (old, new) = (self.old, self.new);
        let equal = align(olds.iter().map(|&c| same(old, c)), news.iter().map(|&c| same(new, c)));
        for run in equal {
            let (olds, news) = (&olds[run.old], &news[run.new]);
            let pair = |(&o, &n): (&NodeId, &NodeId)| (Some(o), Some(n), steps);
            if run.common {
                work.extend(olds.iter().zip(news).map(pair));
                continue;
            }
            let kinds = |tree: &Tree, ids: &[NodeId]| -> Vec<_> {
                ids.iter().map(|&c| tree.kind(c)).collect()
            };
            for run in align(kinds(old, olds), kinds(new, news)) {
                let (olds, news) = (&olds[run.old], &news[run.new]);
                if run.common {
                    work.extend(olds.iter().zip(news).map(pair));
                } else {
                    self.exchange(olds, news, steps, work);
                }
            }
        }
    }

    /// Lets tokens that stand side by side take the place of each other: a choice with both, or
    /// with neither, would hold something that nobody wrote. All else is taken away and added by
    /// itself.
    fn exchange(&self, olds: &[NodeId], news: &[NodeId], steps: usize, work: &mut Vec<Work>) {
        for at in 0..olds.len().max(news.len()) {
            match (olds.get(at), news.get(at)) {
                (Some(&o), Some(&n)) if self.old.is_leaf(o) && self.new.is_leaf(n) => {
                    work.push((Some(o), Some(n), steps));
                }
                (o, n) => {
                    work.extend(o.map(|&o| (Some(o), None, steps)));
                    work.extend(n.map(|&n| (None, Some(n), steps)));
                }
            }
        }
    }

    /// Adds what goes on to these ends.
    fn push(&self, parts: &mut Segments, old: usize, new: usize, common: bool) {
        let (start, ends) = (parts.end, (old.max(parts.end.0), new.max(parts.end.1)));
        let is_same = self.old.text()[start.0..ends.0] == self.new.text()[start.1..ends.1];
        parts.push(old, new, common || is_same);
    }
}

/// Returns what makes two nodes equal.
fn same(tree: &Tree, id: NodeId) -> impl Eq + std::hash::Hash + use<> {
    (tree.kind(id), tree.hash(id))
}
