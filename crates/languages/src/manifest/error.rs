//! What can be wrong with a manifest.

use minirepro_syntax::{FactsError, Role};

/// What is wrong with a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The text is not TOML, or does not have the form of a manifest or of a file of rules.
    #[error("{0}")]
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
    /// There is no such form of files, or this build does not have it.
    #[error("there is no form of files called `{0}`")]
    Codec(String),
    /// An entry is about the kinds of a role that no kind plays.
    #[error("no kind has the role `{}`", .0.name())]
    Role(Role),
    /// The pattern of a rule is not code of the language, or is a single token.
    #[error(
        "the pattern `{0}` does not parse to a node with parts in any of the `pattern_contexts`"
    )]
    Unreadable(String),
    /// A rule uses what it does not capture.
    #[error("`{rule}` uses `{name}`, which nothing captures")]
    UnknownCapture {
        /// The capture.
        name: String,
        /// The text that uses it.
        rule: String,
    },
    /// A rule has a pattern and a selector, or neither.
    #[error("the rule `{0}` needs either a `pattern`, or kinds and roles as `match`")]
    RuleSubject(String),
    /// A rule changes nothing.
    #[error(
        "the rule `{0}` has no edit: `put`, `drop`, `remove`, `least`, `move`, or a list of them as `edit`"
    )]
    NoEdit(String),
    /// Something is to move that is not one capture, or nothing says where it comes.
    #[error(
        "`{0}` cannot move: name one capture, and say where it comes with `before`, `after` or `into`"
    )]
    Move(String),
    /// A capture has a name that means something else.
    #[error("no capture can be called `{0}`: that is the part that an edit is made for")]
    Reserved(String),
    /// A path is malformed, or has a step that there is not.
    #[error("`{0}` is not a path: a capture, then steps such as `.uses` or `.parent(call)`")]
    Path(String),
    /// A file of rules is wrong.
    #[error("pass `{pass}`: {source}")]
    InRules {
        /// The pass.
        pass: String,
        /// What is wrong.
        source: Box<ManifestError>,
    },
}
