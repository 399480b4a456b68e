//! Why there is no result.

use std::io;

use minirepro_languages::{ForeignError, LanguageError};

use crate::Outcome;

/// Why there is no result.
///
/// ```
/// use minirepro::{Error, Reduction};
///
/// let error = Reduction::new("abc").run(|text| text.contains(&b'x'));
/// assert!(matches!(error, Err(Error::DoesNotFail(_))));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The test has this outcome for the input itself, so there is nothing to look for.
    #[error("the input does not fail the test: {0:?}")]
    DoesNotFail(Outcome),
    /// The test panicked, and nobody has said that this is the failure.
    #[error("the test panicked: {0}")]
    Panicked(String),
    /// There is no such language, or a rule is wrong.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// A grammar cannot be used.
    #[error(transparent)]
    Grammar(#[from] ForeignError),
    /// The system has no process, thread or file descriptor left.
    #[error("cannot run the test: {0}")]
    System(#[from] io::Error),
    /// The value has no JSON form, or cannot be read back.
    #[cfg(feature = "serde")]
    #[error("the value cannot be written and read back: {0}")]
    Json(#[from] serde_json::Error),
    /// No value can be made of the bytes.
    #[cfg(feature = "arbitrary")]
    #[error("no value can be made of the bytes: {0}")]
    Arbitrary(#[from] arbitrary::Error),
}
