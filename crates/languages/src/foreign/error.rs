//! Why a foreign grammar cannot be used.

use minirepro_syntax::FactsError;

use crate::derive::DeriveError;
use crate::manifest::error::ManifestError;

/// Why a foreign grammar cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The parser was generated for another generation of tree-sitter.
    #[error(
        "its parser has version {found} of tree-sitter's interface (ABI); {least} to {most} can be used"
    )]
    Abi {
        /// The version of the parser.
        found: usize,
        /// The oldest that can be used.
        least: usize,
        /// The newest that can be used.
        most: usize,
    },
    /// Its parser has more kinds or fields than can be numbered.
    #[error("its parser has {count} {what}; {most} can be used")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// Its `grammar.json` is wrong.
    #[error("grammar.json: {0}")]
    Derive(#[from] DeriveError),
    /// What was derived from its `grammar.json` cannot be used.
    #[error("grammar.json: {0}")]
    Facts(#[from] FactsError),
    /// Its manifest is wrong.
    #[error("minirepro.toml: {0}")]
    Manifest(#[from] ManifestError),
}
