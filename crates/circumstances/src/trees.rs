//! What differs between two trees, from the root down to a depth, then leaf by leaf and character
//! by character. Knows kinds and tokens, no grammar.

use std::sync::Arc;

use minirepro_syntax::{NodeId, Tree};

use crate::mixture::{Mixture, Part};
use crate::sequence::align;

/// How far nodes are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// Nodes this far below the root are not opened: 1 gives the root's children.
    pub levels: usize,
    /// Whether what both trees have in common is opened as well.
    pub common: bool,
}

/// A node of the old tree, of the new one, or one of each.
#[derive(Clone, Copy)]
enum Work {
    Both(NodeId, NodeId, usize),
    Old(NodeId, usize),
    New(NodeId, usize),
}

/// What differs between two trees of one language: nodes that only one of them has, and nodes that
/// stand for each other. Equal token sequences of one kind are common.
///
/// Children of nodes that stand for each other are aligned by their tokens; what is left between
/// these is aligned by kind. Near linear in the nodes that are opened; no recursion on depth.
pub fn between(old: &Tree, new: &Tree, depth: Depth) -> Mixture {
    let mut parts = Parts { old, new, parts: Vec::new() };
    let mut stack = vec![Work::Both(NodeId::ROOT, NodeId::ROOT, depth.levels)];
    while let Some(work) = stack.pop() {
        let start = stack.len();
        match work {
            Work::Both(o, n, levels) => {
                let common = old.kind(o) == new.kind(n) && old.hash(o) == new.hash(n);
                let opens = levels > 0
                    && old.kind(o) == new.kind(n)
                    && !old.is_leaf(o)
                    && !new.is_leaf(n)
                    && (!common || depth.common);
                if opens {
                    open_both(old, new, (o, n), levels - 1, &mut stack);
                } else {
                    parts.add(Some(o), Some(n), common);
                }
            }
            Work::Old(id, 0) => parts.add(Some(id), None, false),
            Work::Old(id, _) if old.is_leaf(id) => parts.add(Some(id), None, false),
            Work::Old(id, levels) => {
                stack.extend(old.children(id).map(|c| Work::Old(c, levels - 1)));
            }
            Work::New(id, 0) => parts.add(None, Some(id), false),
            Work::New(id, _) if new.is_leaf(id) => parts.add(None, Some(id), false),
            Work::New(id, levels) => {
                stack.extend(new.children(id).map(|c| Work::New(c, levels - 1)));
            }
        }
        stack[start..].reverse();
    }
    parts.finish()
}

fn open_both(
    old: &Tree,
    new: &Tree,
    (o, n): (NodeId, NodeId),
    levels: usize,
    stack: &mut Vec<Work>,
) {
    let olds: Vec<NodeId> = old.children(o).collect();
    let news: Vec<NodeId> = new.children(n).collect();
    let token = |tree: &Tree, id: NodeId| (tree.kind(id), tree.hash(id));
    let same = align(olds.iter().map(|&c| token(old, c)), news.iter().map(|&c| token(new, c)));
    for run in same {
        let (olds, news) = (&olds[run.old], &news[run.new]);
        if run.common {
            stack.extend(olds.iter().zip(news).map(|(&o, &n)| Work::Both(o, n, levels)));
            continue;
        }
        let alike = align(olds.iter().map(|&c| old.kind(c)), news.iter().map(|&c| new.kind(c)));
        for run in alike {
            let (olds, news) = (&olds[run.old], &news[run.new]);
            if run.common {
                stack.extend(olds.iter().zip(news).map(|(&o, &n)| Work::Both(o, n, levels)));
            } else {
                stack.extend(olds.iter().map(|&c| Work::Old(c, levels)));
                stack.extend(news.iter().map(|&c| Work::New(c, levels)));
            }
        }
    }
}

/// Nodes in order → parts that cover both texts: blank space belongs to what stands behind it.
struct Parts<'a> {
    old: &'a Tree,
    new: &'a Tree,
    parts: Vec<Part>,
}

impl Parts<'_> {
    fn add(&mut self, old: Option<NodeId>, new: Option<NodeId>, common: bool) {
        let (old_at, new_at) = self.parts.last().map_or((0, 0), |p| (p.old.end, p.new.end));
        let end = |tree: &Tree, id: Option<NodeId>, at| id.map_or(at, |id| tree.span(id).end);
        let old = old_at..end(self.old, old, old_at).max(old_at);
        let new = new_at..end(self.new, new, new_at).max(new_at);
        if !old.is_empty() || !new.is_empty() {
            self.parts.push(Part { old, new, common });
        }
    }

    fn finish(mut self) -> Mixture {
        let (old_at, new_at) = self.parts.last().map_or((0, 0), |p| (p.old.end, p.new.end));
        let (old, new) = (self.old.text(), self.new.text());
        if old_at < old.len() || new_at < new.len() {
            let part = Part { old: old_at..old.len(), new: new_at..new.len(), common: true };
            self.parts.push(part);
        }
        Mixture::new(Arc::clone(old), Arc::clone(new), self.parts)
    }
}

/// Opens every difference, and blank space that differs, character by character (of invalid UTF-8,
/// byte by byte).
pub fn by_character(mixture: &Mixture, old: &Arc<[u8]>, new: &Arc<[u8]>) -> Mixture {
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
    Mixture::new(Arc::clone(old), Arc::clone(new), parts)
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
