//! The blank space in candidates.

use serde::{Deserialize, Serialize};

/// Describes the blank space in candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
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

impl Spacing {
    /// Nothing is added and nothing is taken away.
    pub const NONE: Self =
        Self { between_tokens: false, keep_words_apart: false, indentation: false };
}

impl Default for Spacing {
    fn default() -> Self {
        Self { between_tokens: true, keep_words_apart: true, indentation: false }
    }
}
