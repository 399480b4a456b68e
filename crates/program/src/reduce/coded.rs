//! Candidates of languages whose texts files hold in another form: the test gets the file.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::Outcome;
use minirepro_runner::{CancelToken, Observation, Oracle, OracleError, TestEnd};
use minirepro_syntax::Language;

/// Returns the file that holds a text that has been tested, or is to be.
pub fn file_of(language: &Language, text: &Arc<[u8]>) -> Arc<[u8]> {
    match language.reader.file_of(text) {
        Some(Cow::Owned(file)) => file.into(),
        Some(Cow::Borrowed(_)) | None => Arc::clone(text),
    }
}

/// Returns whether files hold this text in another form.
pub fn is_coded(language: &Language, text: &[u8]) -> bool {
    matches!(language.reader.file_of(text), Some(Cow::Owned(_)))
}

/// A test of texts, which the test of files is asked about.
pub struct CodedTest<'a> {
    /// The test of files.
    pub whole: &'a dyn Oracle,
    /// The language of the texts.
    pub language: &'a Language,
}

impl Oracle for CodedTest<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        match self.language.reader.file_of(candidate) {
            Some(file) => self.whole.test(&file, stop),
            None => Ok(Observation {
                outcome: Outcome::Unresolved,
                ending: TestEnd::Exited(1),
                time: Duration::ZERO,
            }),
        }
    }
}
