//! The plan of a reduction.

use std::sync::Arc;

use minirepro_search::Algorithm;
use minirepro_syntax::Language;

use crate::{Budget, Scope};

/// Everything that decides a reduction, apart from the oracle's answers.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The language of the input.
    pub language: Arc<Language>,
    /// The bytes to reduce; known to fail.
    pub input: Arc<[u8]>,
    /// The search over lists of edits.
    pub algorithm: Algorithm,
    /// How many tests may run at the same time. Never changes the result or the questions.
    pub jobs: usize,
    /// Which edits to try.
    pub scope: Scope,
    /// When to stop early.
    pub budget: Budget,
    /// Whether a test costs less than reading its candidate, as a function call does: then fewer
    /// candidates are read beforehand, and somewhat more are tested.
    pub tests_are_cheap: bool,
    /// How many proposers there are to ask once no edit helps any more, see
    /// [`Step::Consult`](crate::Step::Consult).
    pub proposers: usize,
    /// Whether a tool can be asked for its messages about a candidate, by the same step.
    pub is_informed: bool,
}
