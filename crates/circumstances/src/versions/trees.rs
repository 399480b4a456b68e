//! The differences between two trees, opened step by step from the root down, then character by
//! character.

use std::ops::Range;

use minirepro_syntax::{NodeId, Tree};

use crate::patch::align::align;
use crate::versions::merge::{Merge, Segment};

/// A node of the old tree, of the new one, or one of each, to be opened this many steps.
#[derive(Clone, Copy)]
enum Work {
    Both(NodeId, NodeId, usize),
    Old(NodeId, usize),
    New(NodeId, usize),
}

/// Opens the differences of a merge, whose ends have these trees: the nodes in them are replaced
/// by their children, `steps` times. Nodes with equal tokens and kinds are common; others of one
/// kind that stand side by side stand for each other; all else was added or taken away.
///
/// Near linear in the nodes that are opened; no recursion on depth.
pub fn open(old: &Tree, new: &Tree, merge: &Merge, steps: usize) -> Merge {
    let mut opened = Opened { old, new, parts: Vec::new(), end: (0, 0) };
    for part in merge.parts() {
        if !part.common {
            let (olds, news) = (nodes_in(old, &part.old), nodes_in(new, &part.new));
            let mut stack = Vec::new();
            opened.align(&olds, &news, steps, &mut stack);
            stack.reverse();
            opened.run(stack);
        }
        opened.push(part.old.end, part.new.end, part.common);
    }
    merge.cut(opened.parts)
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

/// Nodes in order → parts: blank space belongs to what stands after it.
struct Opened<'a> {
    old: &'a Tree,
    new: &'a Tree,
    parts: Vec<Segment>,
    end: (usize, usize),
}

impl Opened<'_> {
    fn run(&mut self, mut stack: Vec<Work>) {
        let (old, new) = (self.old, self.new);
        while let Some(work) = stack.pop() {
            let start = stack.len();
            match work {
                Work::Both(o, n, _) if same(old, o) == same(new, n) => {
                    self.add(Some(o), Some(n), true)
                }
                Work::Both(o, n, steps) if steps == 0 || old.is_leaf(o) || new.is_leaf(n) => {
                    self.add(Some(o), Some(n), false);
                }
                Work::Both(o, n, steps) => {
                    let olds: Vec<NodeId> = old.children(o).collect();
                    let news: Vec<NodeId> = new.children(n).collect();
                    self.align(&olds, &news, steps - 1, &mut stack);
                }
                Work::Old(id, steps) if steps == 0 || old.is_leaf(id) => {
                    self.add(Some(id), None, false);
                }
                Work::Old(id, steps) => {
                    stack.extend(old.children(id).map(|c| Work::Old(c, steps - 1)));
                }
                Work::New(id, steps) if steps == 0 || new.is_leaf(id) => {
                    self.add(None, Some(id), false);
                }
                Work::New(id, steps) => {
                    stack.extend(new.children(id).map(|c| Work::New(c, steps - 1)));
                }
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
            let pair = |(&o, &n): (&NodeId, &NodeId)| Work::Both(o, n, steps);
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
                    work.push(Work::Both(o, n, steps));
                }
                (o, n) => {
                    work.extend(o.map(|&o| Work::Old(o, steps)));
                    work.extend(n.map(|&n| Work::New(n, steps)));
                }
            }
        }
    }

    fn add(&mut self, old: Option<NodeId>, new: Option<NodeId>, common: bool) {
        let end = |tree: &Tree, id: Option<NodeId>, at| id.map_or(at, |id| tree.span(id).end);
        self.push(end(self.old, old, self.end.0), end(self.new, new, self.end.1), common);
    }

    /// Adds what goes on to these ends.
    fn push(&mut self, old: usize, new: usize, common: bool) {
        let old = self.end.0..old.max(self.end.0);
        let new = self.end.1..new.max(self.end.1);
        self.end = (old.end, new.end);
        if old.is_empty() && new.is_empty() {
            return;
        }
        let common = common || self.old.text()[old.clone()] == self.new.text()[new.clone()];
        self.parts.push(Segment { old, new, common });
    }
}

/// Returns what makes two nodes equal.
fn same(tree: &Tree, id: NodeId) -> impl Eq + std::hash::Hash + use<> {
    (tree.kind(id), tree.hash(id))
}
