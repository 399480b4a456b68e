//! What counts as large: the one table of sizes of texts, in tokens. Each has the measurement that justifies it.

/// Up to this size, edits that win a few tokens each are worth their questions. In larger texts other passes take away more
/// by each: with 5,000, C++ of half a million tokens needs a third of the questions that it needs without a limit.
pub(crate) const SMALL_TEXT: u32 = 5_000;
