//! What differs between two trees, opened step by step from the root down, then character by
//! character. Knows kinds and tokens, no grammar.

use std::ops::Range;

use minirepro_syntax::{NodeId, Tree};

use crate::mixture::{Mixture, Part};
use crate::sequence::align;

/// A node of the old tree, of the new one, or one of each, to be opened so many steps.
#[derive(Clone, Copy)]
enum Work {
    Both(NodeId, NodeId, usize),
    Old(NodeId, usize),
    New(NodeId, usize),
}

/// Opens the differences of a mixture, whose ends have these trees: the nodes in them are replaced
/// by their children, `steps` times. Nodes with equal tokens and kinds are common; others of one
/// kind that stand side by side stand for each other; all else was added or taken away.
///
/// Near linear in the nodes that are opened; no recursion on depth.
pub fn open(old: &Tree, new: &Tree, mixture: &Mixture, steps: usize) -> Mixture {
    let mut opened = Opened { old, new, parts: Vec::new(), end: (0, 0) };
    for part in mixture.parts() {
        if !part.common {
            let (olds, news) = (nodes_in(old, &part.old), nodes_in(new, &part.new));
            let mut stack = Vec::new();
            opened.align(&olds, &news, steps, &mut stack);
            stack.reverse();
            opened.run(stack);
        }
        opened.push(part.old.end, part.new.end, part.common);
    }
    mixture.cut(opened.parts)
}

/// The uppermost nodes with text that lie in a span.
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

/// Nodes in order → parts: blank space belongs to what stands behind it.
struct Opened<'a> {
    old: &'a Tree,
    new: &'a Tree,
    parts: Vec<Part>,
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
                    work.extend(olds.iter().map(|&c| Work::Old(c, steps)));
                    work.extend(news.iter().map(|&c| Work::New(c, steps)));
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
        self.parts.push(Part { old, new, common });
    }
}

/// What makes two nodes equal.
fn same(tree: &Tree, id: NodeId) -> impl Eq + std::hash::Hash + use<> {
    (tree.kind(id), tree.hash(id))
}

/// Opens every difference, and blank space that differs, character by character (of invalid UTF-8,
/// byte by byte).
pub fn by_character(mixture: &Mixture) -> Mixture {
    let mut parts = Vec::new();
    for part in mixture.parts() {
        let (a, b) = mixture.texts(part);
        if a == b {
            parts.push(Part { common: true, ..part.clone() });
            continue;
        }
        let (olds, news) = (characters(a), characters(b));
        let (mut old_at, mut new_at) = (part.old.start, part.new.start);
        let mut push = |old: usize, new: usize, common| {
            let (o, n) = (old_at, new_at);
            (old_at, new_at) = (o + old, n + new);
            parts.push(Part { old: o..old_at, new: n..new_at, common });
        };
        for run in align(olds.iter().copied(), news.iter().copied()) {
            if run.common {
                let bytes = olds[run.old].iter().map(|c| c.len()).sum();
                push(bytes, bytes, true);
            } else {
                olds[run.old].iter().for_each(|c| push(c.len(), 0, false));
                news[run.new].iter().for_each(|c| push(0, c.len(), false));
            }
        }
    }
    mixture.cut(parts)
}

fn characters(text: &[u8]) -> Vec<&[u8]> {
    let mut all = Vec::new();
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        all.extend(valid.char_indices().map(|(at, c)| &valid.as_bytes()[at..at + c.len_utf8()]));
        all.extend(chunk.invalid().chunks(1));
    }
    all
}
