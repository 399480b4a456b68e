//! Rules of a user's own, which are added to those of a language.

/// The text of a file of rules: `[[rewrite]]` tables as in the manifests of languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Where they stand, for messages.
    pub origin: String,
    /// The tables.
    pub text: String,
}
