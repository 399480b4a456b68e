//! One file of a directory as a candidate: the others stay as they are.

use std::sync::Arc;

use minirepro_circumstances::archive::{entries, pack};
use minirepro_runner::{CancelToken, Observation, Oracle, OracleError};

/// A place for another text in one file of a directory.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// The directory.
    pub archive: Arc<[u8]>,
    /// The file's path.
    pub path: &'a [u8],
}

impl Member<'_> {
    /// Returns the directory with this text in the file.
    pub fn with(&self, text: &[u8]) -> Vec<u8> {
        let all = entries(&self.archive);
        let files = all.iter().map(|entry| {
            (entry.kind, entry.path, if entry.path == self.path { text } else { entry.text })
        });
        // Only a text that holds the mark between files cannot be packed; it is then no change.
        pack(files).unwrap_or_else(|| self.archive.to_vec())
    }
}

/// A test of one file of a directory.
pub struct MemberTest<'a> {
    /// The test of the whole directory.
    pub whole: &'a dyn Oracle,
    /// The file.
    pub member: &'a Member<'a>,
}

impl Oracle for MemberTest<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        self.whole.test(&self.member.with(candidate), stop)
    }
}
