//! `[[retag]]`: leaves whose kind the grammar gets wrong.

use serde::Deserialize;

/// Leaves that the grammar takes for something else than what they are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Retag {
    /// The grammar's kind.
    pub(crate) kind: String,
    /// What they are.
    pub(crate) to: String,
    /// The texts for which the grammar is right.
    pub(crate) unless: Vec<String>,
}
