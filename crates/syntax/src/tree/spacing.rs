//! The blank space in candidates.

/// Describes the blank space in candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spacing {
    /// Blank space stands between tokens. Otherwise every byte is in a leaf, and leaves are simply
    /// joined, except in texts of other languages.
    pub between_tokens: bool,
    /// A space goes between two tokens that become neighbours and would read as one: two words, two
    /// operators.
    pub keep_words_apart: bool,
    /// How far a line is indented means something: lines keep their indentation, or change it by as
    /// much as the line that they replace.
    pub indentation: bool,
}
