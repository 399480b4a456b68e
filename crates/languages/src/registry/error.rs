//! Why there is no such language, or none with these rules.

use crate::manifest::error::ManifestError;

/// Why there is no such language.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// Nothing of that name.
    #[error("no language `{name}`; there are: {}", .known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// It has no grammar from which something could be derived.
    #[error("nothing is derived for `{name}`: {why}")]
    NotDerived {
        /// The language.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// It is not a form of records.
    #[error("records: {0}")]
    Records(String),
    /// It has no grammar, so that no rules can be about it.
    #[error("there are no rules for `{0}`: it has no grammar")]
    NoRules(String),
    /// A file of rules is wrong.
    #[error("{origin}: {source}")]
    Rules {
        /// The file.
        origin: String,
        /// What is wrong.
        source: ManifestError,
    },
    /// Its manifest is wrong.
    #[error("language `{name}`: {source}")]
    Manifest {
        /// The language.
        name: String,
        /// What is wrong.
        source: ManifestError,
    },
}
