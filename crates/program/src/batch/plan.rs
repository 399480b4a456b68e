//! What a reduction of a batch is to do.

use std::path::PathBuf;

use minirepro_runner::Digest;

/// What a reduction keeps of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// The message, the callers, and the line in the innermost function.
    Exact,
    /// The message and the callers.
    AnyLine,
    /// The message and the innermost function.
    AnyCaller,
}

/// A reduction of a batch.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// What tells it from others.
    pub(super) job: Digest,
    /// What it keeps.
    pub kind: JobKind,
    /// The file that it reduces.
    pub input: PathBuf,
    /// Its result.
    pub output: PathBuf,
    /// Its journal.
    pub journal: PathBuf,
    /// Stop as soon as the result has so few tokens.
    pub until_tokens: Option<u64>,
    /// How often a candidate is tested that does not reproduce.
    pub repeat: u32,
    /// Whether the test is a script's exit code alone.
    pub is_script: bool,
    /// Whether the failure is that the program does not end.
    pub is_hang: bool,
}
