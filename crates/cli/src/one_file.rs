//! One file of a directory as a candidate: the others stay as they are. Knows archives and tests.

use std::sync::Arc;

use minirepro_circumstances::archive::{entries, pack};
use minirepro_runner::{Observation, Oracle, OracleError, Stop};

/// A test of one file of a directory: all others stay as they are.
pub struct OneFile<'a> {
    /// The test of the whole directory.
    pub test: &'a dyn Oracle,
    /// The directory.
    pub archive: Arc<[u8]>,
    /// The file's path.
    pub path: &'a [u8],
}

impl OneFile<'_> {
    /// The directory with this text in the file.
    pub fn with(&self, text: &[u8]) -> Vec<u8> {
        let all = entries(&self.archive);
        let files = all.iter().map(|entry| {
            (entry.kind, entry.path, if entry.path == self.path { text } else { entry.text })
        });
        // Only a text that holds the mark between files cannot be packed; it is then no change.
        pack(files).unwrap_or_else(|| self.archive.to_vec())
    }
}

impl Oracle for OneFile<'_> {
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError> {
        self.test.test(&self.with(candidate), stop)
    }
}
