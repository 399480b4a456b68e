//! What can be wrong with a manifest.

use minirepro_syntax::{FactsError, Role};

/// What is wrong with a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The text is not TOML, or does not have the form of a manifest or of a file of rules.
    #[error("{}", in_a_line(.0))]
    Form(#[from] toml::de::Error),
    /// A line of the facts is wrong.
    #[error("{0}")]
    Facts(#[from] FactsError),
    /// The grammar lacks a kind.
    #[error("the grammar has no kind `{0}`")]
    Kind(String),
    /// The grammar lacks a field.
    #[error("the grammar has no field `{0}`")]
    Field(String),
    /// A pattern is not a regular expression.
    #[error("{0}")]
    Pattern(#[from] regex::Error),
    /// An injected language does not exist.
    #[error("there is no language `{0}` to inject")]
    Language(String),
    /// A manifest builds on one that does not exist, or that builds on it.
    #[error("there is no manifest of `{0}` to build on")]
    Inherited(String),
    /// An entry is about the kinds of a role that no kind plays.
    #[error("no kind has the role `{}`", .0.name())]
    Role(Role),
    /// Rules are wrong.
    #[error(transparent)]
    Rules(#[from] minirepro_rules::RuleError),
}

/// Returns what is wrong with a file of TOML, and where, without the line itself.
fn in_a_line(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let is_quoted = |line: &&str| {
        line.trim_start_matches(|c: char| c.is_numeric() || c == ' ').starts_with('|')
    };
    text.lines().filter(|line| !is_quoted(line)).collect::<Vec<_>>().join(": ")
}
