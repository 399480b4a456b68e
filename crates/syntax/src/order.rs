//! The one strict order in which results are accepted. Knows no tree.

/// The size of a candidate; smaller is better: tokens, then bytes, then shortlex of the text.
///
/// Every accepted candidate is strictly smaller than the one before it, so every run ends
/// (DESIGN.md §4.6).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// Tokens as the language counts them.
    pub tokens: u64,
    /// Bytes of text.
    pub bytes: u64,
}
