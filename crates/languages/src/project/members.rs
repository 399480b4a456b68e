//! The languages of the files in a directory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use minirepro_syntax::{InterruptionGuard, Kind, Kinds, Language};

/// What the language of a directory is called.
pub const PROJECT: &str = "project";

/// A language of files in a directory, as the tree of the directory has it.
pub(crate) struct Member {
    pub(crate) language: Arc<Language>,
    /// Ends what takes long in it when the whole has to end.
    pub(crate) _interruption: InterruptionGuard,
}

/// The languages of a directory's files.
pub(crate) struct Members {
    pub(crate) all: Vec<Member>,
    /// By path.
    pub(crate) of: HashMap<Vec<u8>, usize>,
    /// By suffix, where all files with it have one language: files may get other names.
    pub(crate) of_suffix: HashMap<Vec<u8>, usize>,
    /// The names of all files, without their directories.
    pub(crate) names: HashSet<Vec<u8>>,
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

impl Members {
    /// Returns the language of the file at a path.
    pub(crate) fn of(&self, path: &[u8]) -> Option<usize> {
        self.of.get(path).or_else(|| self.of_suffix.get(suffix(path))).copied()
    }

    /// Returns whether a file may be at a path: the directory had one there, one of the same name
    /// elsewhere, or one of another name with the same suffix.
    pub(crate) fn may_be(&self, path: &[u8]) -> bool {
        if self.of.contains_key(path) {
            return true;
        }
        let is_plain = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
        let name = last_part(path);
        let stem = name.len() - suffix(path).len();
        let is_known = self.names.contains(name) || (1..=SHORT).contains(&stem);
        self.of_suffix.contains_key(suffix(path))
            && is_known
            && path.split(|&byte| byte == b'/').all(is_plain)
    }
}

/// A new name has no more letters than this before its suffix.
const SHORT: usize = 2;

/// Returns the name of a file, wherever it is.
pub(crate) fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// Returns the suffix of a path, with the dot; without one, the name, which then says all.
pub(crate) fn suffix(path: &[u8]) -> &[u8] {
    let name = last_part(path);
    let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0);
    dot.map_or(name, |dot| &name[dot..])
}
