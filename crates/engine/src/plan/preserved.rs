//! Text that every candidate must preserve.

use std::ops::Range;

use minirepro_passes::{Item, Proposal};
use minirepro_syntax::{Change, NodeId, Tree};
use regex::bytes::{Match, Regex};

/// The matches of regular expressions in an input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preserved(Vec<Pattern>);

#[derive(Clone, Debug)]
struct Pattern {
    regex: Regex,
    /// The texts that it matches in the input, in order.
    matches: Vec<Vec<u8>>,
}

impl Preserved {
    /// Finds the matches of `patterns` in `input`. Linear in the input for each pattern.
    pub(crate) fn new(patterns: &[Regex], input: &[u8]) -> Self {
        let pattern = |regex: &Regex| Pattern {
            regex: regex.clone(),
            matches: matches(regex, input).map(|found| found.as_bytes().to_vec()).collect(),
        };
        Self(patterns.iter().map(pattern).collect())
    }

    /// Returns whether a text still has all matches of each expression in the same order, possibly
    /// with others in between. Linear in the text for each pattern.
    pub(crate) fn holds(&self, text: &[u8]) -> bool {
        self.0.iter().all(|pattern| pattern.find_in(text).len() == pattern.matches.len())
    }

    /// Removes and returns the items of a proposal whose edits visibly take preserved text away.
    pub(crate) fn exclude(&self, proposal: &mut Proposal, tree: &Tree) -> Vec<Item> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let kept: Vec<Range<usize>> =
            self.0.iter().flat_map(|pattern| pattern.find_in(tree.text())).collect();
        // What other edits take away shows in the candidate itself.
        let removes = |(id, change): (NodeId, &Change)| {
            let gone = tree.span(id);
            let overlaps = |kept: &Range<usize>| kept.start < gone.end && gone.start < kept.end;
            change.is_drop() && kept.iter().any(overlaps)
        };
        proposal.retain(|item| !item.edits.iter().any(removes))
    }
}

impl Pattern {
    /// Finds the matches in a text: the first of each that comes after the one before.
    fn find_in(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut wanted = self.matches.iter().peekable();
        let is_next =
            |found: &Match<'_>| wanted.next_if(|next| *next == found.as_bytes()).is_some();
        matches(&self.regex, text).filter(is_next).map(|found| found.range()).collect()
    }
}

/// Returns all matches but empty ones, which nothing can take away.
fn matches<'t>(regex: &Regex, text: &'t [u8]) -> impl Iterator<Item = Match<'t>> {
    regex.find_iter(text).filter(|found| !found.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_must_stand_in_their_order() {
        let preserved = |pattern: &str, input: &str| {
            let pattern = Regex::new(pattern).unwrap();
            Preserved::new(&[pattern], input.as_bytes())
        };
        let numbers = preserved("[0-9]+", "a1 b22 c1");
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
        assert!(preserved("x*", "abc").holds(b""));
        assert!(Preserved::default().holds(b""));
    }
}
