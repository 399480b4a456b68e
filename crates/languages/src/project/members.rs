//! The languages of the files in a directory.

use std::collections::HashMap;
use std::sync::Arc;

use minirepro_syntax::{InterruptionGuard, Kind, Kinds, Language};

/// What the language of a directory is called.
pub const PROJECT: &str = "project";

/// The languages of a directory's files.
pub(crate) struct Members {
    pub(crate) all: Vec<Arc<Language>>,
    /// By path.
    pub(crate) of: HashMap<Vec<u8>, Arc<Language>>,
    /// Where each link points to, by its path.
    pub(crate) links: HashMap<Vec<u8>, Vec<u8>>,
    pub(crate) kinds: Arc<Kinds>,
    /// The directory, a file, what stands before a file's text (all of a link), and a text that
    /// nobody reads.
    pub(crate) own: [Kind; 4],
    /// End what takes long in any language when the whole has to end.
    pub(crate) _interruptions: Vec<InterruptionGuard>,
}
