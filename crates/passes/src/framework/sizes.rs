//! What counts as large: sizes of texts, in tokens.

/// Up to this size, passes of rules that are `late` have their turn: in larger texts, others take
/// away more by each question. Chosen for C++ of 1 to 4 MB; not measured for other languages.
pub(crate) const SMALL_TEXT: u32 = 5_000;
