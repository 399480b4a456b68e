//! What rules are compiled with, and the names of their captures.

use std::collections::BTreeMap;

use minirepro_syntax::{Capture, Kinds, Parse, Roles};

use crate::manifest::error::ManifestError;
use crate::plain::tokenizer::Lexing;

/// Compiles the rules of a language.
pub(crate) struct Compiler<'a> {
    pub(crate) kinds: &'a Kinds,
    pub(crate) roles: &'a Roles,
    pub(crate) parser: &'a dyn Parse,
    pub(crate) lexing: Lexing,
    /// Texts in which `$PATTERN` stands for a pattern, the first that fits counts.
    pub(crate) contexts: &'a [String],
    /// Names for several kinds together.
    pub(crate) sets: &'a BTreeMap<String, Vec<String>>,
    /// Where the rules stand.
    pub(crate) origin: &'a str,
}

/// The names of a rule's captures, in the order of their numbers.
#[derive(Clone)]
pub(super) struct Names(pub(super) Vec<String>);

/// The subject in paths.
const SUBJECT: &str = "$";

/// The node that an edit is made for.
const THIS: &str = "IT";

impl Default for Names {
    fn default() -> Self {
        Self(vec![SUBJECT.to_owned(), THIS.to_owned()])
    }
}

impl Names {
    /// Returns the capture of that name, if there is one.
    pub(super) fn known(&self, name: &str) -> Option<Capture> {
        self.0.iter().position(|known| known == name).map(Capture)
    }

    /// Checks that a capture may have this name.
    ///
    /// # Errors
    /// If it is that of the node that an edit is made for.
    pub(super) fn check(&self, name: &str) -> Result<(), ManifestError> {
        if name == THIS { Err(ManifestError::Reserved(name.to_owned())) } else { Ok(()) }
    }

    /// Returns the capture of that name, new if there was none.
    pub(super) fn capture(&mut self, name: &str) -> Capture {
        self.known(name).unwrap_or_else(|| {
            self.0.push(name.to_owned());
            Capture(self.0.len() - 1)
        })
    }
}
