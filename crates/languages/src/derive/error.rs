//! Why nothing can be derived.

/// Why nothing can be derived from a text.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    /// It is no `grammar.json`.
    #[error("not in tree-sitter's form: {0}")]
    Form(#[from] serde_json::Error),
    /// It has more rules than any grammar that people write.
    #[error("{0} rules are too many")]
    TooLarge(usize),
    /// A rule has a name that no rule can have.
    #[error("a rule cannot be called `{0}`")]
    Name(String),
    /// What was found cannot be written as a manifest.
    #[error("{0}")]
    Write(#[from] toml::ser::Error),
}
