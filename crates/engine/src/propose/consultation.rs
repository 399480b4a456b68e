//! A question to a proposer and its answer, as plain data.

use std::ops::Range;
use std::sync::Arc;

use minirepro_search::Outcome;
use minirepro_syntax::Tree;

/// Who is asked something that is no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The proposer of this number, from 0: what to try next.
    Proposer(usize),
    /// The tool that reads candidates: its messages about this text.
    Informant,
    /// A compiler that has read the text: which of its declarations nothing refers to.
    Analyser,
}

/// Everything that a proposer may want to know when it is asked what to try next; of an informant,
/// the text that it is asked about.
#[derive(Clone, Debug)]
pub struct Consultation {
    /// Who is asked.
    pub whom: Whom,
    /// The best text so far, which candidates should beat. No single edit of ours makes it smaller.
    pub text: Arc<[u8]>,
    /// The name of its language.
    pub language: Arc<str>,
    /// Its tokens, as the language counts them.
    pub tokens: u64,
    /// The nodes of its tree, parents before children; empty if there are too many.
    pub nodes: Arc<Vec<DescribedNode>>,
    /// The candidates that the sweep over all single edits saw refused.
    pub refused: Arc<Vec<Refused>>,
    /// Everything that this proposer has proposed for this text, in order, with what became of it.
    pub verdicts: Arc<Vec<Verdict>>,
    /// The same for the text before this one, of all proposers.
    pub earlier: Arc<Vec<Verdict>>,
}

impl Consultation {
    /// Creates a question about a text of this language and this many tokens.
    pub(crate) fn about(whom: Whom, text: Arc<[u8]>, language: &str, tokens: u64) -> Self {
        Self {
            whom,
            text,
            language: language.into(),
            tokens,
            nodes: Arc::default(),
            refused: Arc::default(),
            verdicts: Arc::default(),
            earlier: Arc::default(),
        }
    }
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedNode {
    /// Its kind, as the grammar names it.
    pub kind: Arc<str>,
    /// Its bytes.
    pub span: Range<usize>,
    /// Which node it is below; `None` for the root.
    pub parent: Option<usize>,
    /// Whether it is a token.
    pub is_leaf: bool,
}

/// A candidate that does not fail, as a difference to the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The pass that made it.
    pub pass: &'static str,
    /// The bytes of the text that it has not.
    pub span: Range<usize>,
    /// The bytes that it has instead.
    pub with: Vec<u8>,
}

/// What became of a proposed candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The candidate.
    pub candidate: Arc<[u8]>,
    /// Its verdict.
    pub finding: Finding,
}

/// The verdict on a proposed candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It fails.
    Fails,
    /// It does not fail.
    Passes,
    /// The test could not tell.
    Unresolved,
    /// It was not tested: it has syntax errors that the input has not, or lacks what must be
    /// preserved.
    Infeasible,
    /// It was not tested: it is too large.
    TooLarge,
}

impl From<Outcome> for Finding {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fail => Self::Fails,
            Outcome::Pass => Self::Passes,
            Outcome::Unresolved => Self::Unresolved,
        }
    }
}

/// What a proposer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Try these, in this order.
    Candidates {
        /// The candidates.
        texts: Vec<Arc<[u8]>>,
        /// Whether it will have more to say for this text once it knows what became of them.
        more: bool,
    },
    /// Nothing more for this text.
    Idle,
    /// These messages, of an informant.
    Messages(Vec<Message>),
    /// Nothing refers to what is declared at these places, of an analyser.
    Unreferenced(Vec<Unreferenced>),
    /// It cannot be asked again.
    Gone(Gone),
}

/// A message of a tool about a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The line and the column that it is about, counted from 1; the column is 0 if it names none.
    pub place: Option<(u32, u32)>,
    /// The words that it puts in quotes.
    pub quoted: Vec<Arc<str>>,
    /// Its other words, those of the lines of the text that it shows, too.
    pub others: Vec<Arc<str>>,
}

/// A declaration, or the body of a function, that nothing refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreferenced {
    /// The line and the column of its name, counted from 1.
    pub place: (u32, u32),
    /// Whether the function is mentioned, but its body is not needed for that.
    pub is_body: bool,
}

/// Why a proposer cannot be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It could not be started.
    NotStarted,
    /// It ended without a word.
    Ended,
    /// It said nothing for too long.
    Silent,
    /// It said nothing that could be understood.
    Unclear,
}

/// Trees of more nodes are not described.
const MOST_PARTS: usize = 20_000;

/// Describes the nodes of a tree; nothing if there are too many. Linear in the nodes.
pub(crate) fn parts(tree: &Tree) -> Vec<DescribedNode> {
    if tree.len() > MOST_PARTS {
        return Vec::new();
    }
    // Nodes are numbered in order, parents before children.
    let part = |id| DescribedNode {
        kind: tree.kind_name(id).into(),
        span: tree.span(id),
        parent: tree.parent(id).map(|parent| parent.0 as usize),
        is_leaf: tree.is_leaf(id),
    };
    tree.ids().map(part).collect()
}

impl Refused {
    /// Describes a candidate by the one span in which it differs from `text`. Linear in both.
    pub(crate) fn new(pass: &'static str, text: &[u8], candidate: &[u8]) -> Self {
        let same = |(a, b): &(&u8, &u8)| a == b;
        let before = text.iter().zip(candidate).take_while(same).count();
        let rest = text.len().min(candidate.len()) - before;
        let backwards = text.iter().rev().zip(candidate.iter().rev());
        let behind = backwards.take(rest).take_while(same).count();
        let with = candidate[before..candidate.len() - behind].to_vec();
        Self { pass, span: before..text.len() - behind, with }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_one_span() {
        for (text, candidate, span, with) in [
            ("abc", "ac", 1..2, ""),
            ("aaa", "aa", 2..3, ""),
            ("abc", "axyc", 1..2, "xy"),
            ("", "a", 0..0, "a"),
            ("ab", "ab", 2..2, ""),
        ] {
            let refused = Refused::new("p", text.as_bytes(), candidate.as_bytes());
            assert_eq!((refused.span, &refused.with[..]), (span, with.as_bytes()), "{text}");
        }
    }
}
