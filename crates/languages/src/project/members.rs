//! The languages of the files in a directory.

use std::collections::HashMap;
use std::sync::Arc;

use minirepro_syntax::{InterruptionGuard, Kind, Kinds, Language};

use crate::manifest::adopt::Adopted;

/// What the language of a directory is called.
pub const PROJECT: &str = "project";

/// A language of files in a directory, as the tree of the directory has it.
pub(crate) struct Member {
    pub(crate) language: Arc<Language>,
    pub(crate) adopted: Adopted,
    /// Ends what takes long in it when the whole has to end.
    #[expect(dead_code, reason = "it ends when it is dropped")]
    pub(crate) interruption: InterruptionGuard,
}

/// The languages of a directory's files.
pub(crate) struct Members {
    pub(crate) all: Vec<Member>,
    /// By path; `None` where nobody reads the file.
    pub(crate) of: HashMap<Vec<u8>, Option<usize>>,
    /// Where each link points to, by its path.
    pub(crate) links: HashMap<Vec<u8>, Vec<u8>>,
    pub(crate) kinds: Arc<Kinds>,
    pub(crate) directory: Kind,
    pub(crate) file: Kind,
    /// What stands before a file's text: its path. All of a link.
    pub(crate) head: Kind,
    /// A text that nobody reads.
    pub(crate) unread: Kind,
}
