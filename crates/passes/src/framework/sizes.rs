//! What counts as large: the table of sizes of texts, in tokens, up to which passes have a turn.
//! In larger texts, other passes take away more by each question.

/// Passes that need types, and passes of rules that are `late`.
pub(crate) const SMALL_TEXT: u32 = 5_000;

/// From this size on, a part of a text goes with what only it needs although it is no longer large.
pub(crate) const LATE_TEXT: u32 = 500;

/// Passes that win a token or two by each question: numbers, neighbouring tokens, what style rules
/// share.
pub(crate) const ENDING_TEXT: u32 = 400;

/// Single tags, each of which a reader can do without.
pub(crate) const SHORT_TEXT: u32 = 100;
