//! Rules of a user's own, which are added to those of a language.

/// The text of a file of rules, which are a pass of the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Where they stand, for messages.
    pub origin: String,
    /// The text.
    pub text: String,
}
