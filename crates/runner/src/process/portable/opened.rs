//! The files below a directory that programs open: nobody tells.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// A watch that cannot be kept.
pub(crate) struct OpenedFiles;

impl OpenedFiles {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn watch<'p>(_: &Path, _: impl IntoIterator<Item = &'p Path>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns that some were missed.
    pub fn finish(self) -> Option<BTreeSet<PathBuf>> {
        None
    }
}
