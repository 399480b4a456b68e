//! What must stay as it is. Knows texts, and which part of them an edit takes away; no passes.

use std::ops::Range;

use minirepro_passes::{Item, Proposal};
use minirepro_syntax::{Change, NodeId, Piece, Tree};
use regex::bytes::{Match, Regex};

/// What regular expressions match in an input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(Vec<(Regex, Vec<Vec<u8>>)>);

impl Kept {
    /// What `patterns` match in `input`. Linear in the input for each of them.
    pub(crate) fn new(patterns: &[Regex], input: &[u8]) -> Self {
        let found = |pattern: &Regex| {
            let matches = matches(pattern, input).map(|found| found.as_bytes().to_vec()).collect();
            (pattern.clone(), matches)
        };
        Self(patterns.iter().map(found).collect())
    }

    /// Whether all of it still stands in a text: of each expression the same matches in the same order,
    /// maybe with others in between.
    pub(crate) fn holds(&self, text: &[u8]) -> bool {
        self.0.iter().all(|(pattern, wanted)| places(pattern, wanted, text).len() == wanted.len())
    }

    /// Takes the items out of a proposal that take some of it away, as far as their edits show; they are
    /// returned.
    pub(crate) fn sift(&self, proposal: &mut Proposal, tree: &Tree) -> Vec<Item> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut kept: Vec<Range<usize>> = self
            .0
            .iter()
            .flat_map(|(pattern, wanted)| places(pattern, wanted, tree.text()))
            .collect();
        kept.sort_by_key(|range| (range.start, range.end));
        kept.dedup_by(|next, before| {
            let overlap = next.start < before.end;
            before.end = if overlap { before.end.max(next.end) } else { before.end };
            overlap
        });
        proposal
            .sift(|item| !item.edits.iter().any(|(id, change)| takes_any(tree, id, change, &kept)))
    }
}

/// Where a text has the wanted matches: the first of each that comes behind the one before.
fn places(pattern: &Regex, wanted: &[Vec<u8>], text: &[u8]) -> Vec<Range<usize>> {
    let mut wanted = wanted.iter().peekable();
    let is_next =
        |found: &Match<'_>| wanted.next_if(|next| next.as_slice() == found.as_bytes()).is_some();
    matches(pattern, text).filter(is_next).map(|found| found.range()).collect()
}

/// All matches but empty ones, which nothing can take away.
fn matches<'t>(pattern: &Regex, text: &'t [u8]) -> impl Iterator<Item = Match<'t>> {
    pattern.find_iter(text).filter(|found| !found.is_empty())
}

/// Whether a change takes bytes away that lie in sorted ranges, of which no two overlap.
fn takes_any(tree: &Tree, id: NodeId, change: &Change, kept: &[Range<usize>]) -> bool {
    let span = tree.span(id);
    let mut at = span.start;
    let mut goes = Vec::new();
    for piece in &change.0 {
        let stays = match piece {
            Piece::Node(node) => tree.span(*node),
            Piece::Part(from, to) => span.start + *from as usize..span.start + *to as usize,
            Piece::Text(..) => continue,
        };
        // What comes from elsewhere, or in another order, is left to the look at the candidate.
        if stays.start < at || stays.end > span.end {
            return false;
        }
        goes.push(at..stays.start);
        at = stays.end;
    }
    goes.push(at..span.end);
    let overlaps = |gap: &Range<usize>| {
        let first = kept.partition_point(|range| range.end <= gap.start);
        !gap.is_empty() && kept.get(first).is_some_and(|range| range.start < gap.end)
    };
    goes.iter().any(overlaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_must_stand_in_their_order() {
        let kept = |pattern: &str, input: &str| {
            let pattern = Regex::new(pattern).unwrap();
            Kept::new(&[pattern], input.as_bytes())
        };
        let numbers = kept("[0-9]+", "a1 b22 c1");
        for (text, holds) in [
            ("1 22 1", true),
            ("7 1 7 22 1 7", true),
            ("22 1", false),
            ("1 1 22", false),
            ("1221", false),
            ("", false),
        ] {
            assert_eq!(numbers.holds(text.as_bytes()), holds, "{text}");
        }
        assert!(kept("x*", "abc").holds(b""));
        assert!(Kept::default().holds(b""));
    }
}
