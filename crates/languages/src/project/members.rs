//! The languages of the files in a directory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use minirepro_syntax::archive::{name_of, stem_of};
use minirepro_syntax::{InterruptionGuard, Kind, Kinds, Language};

/// What the language of a directory is called.
pub const PROJECT: &str = "project";

/// The languages of a directory's files.
pub(crate) struct Members {
    pub(crate) all: Vec<Arc<Language>>,
    /// By path.
    pub(crate) of: HashMap<Vec<u8>, Arc<Language>>,
    /// By suffix, if all files with it have one language: files may get other names.
    pub(crate) of_suffix: HashMap<Vec<u8>, Option<Arc<Language>>>,
    /// The names of all files, without their directories.
    pub(crate) names: HashSet<Vec<u8>>,
    /// Where each link points to, by its path.
    pub(crate) links: HashMap<Vec<u8>, Vec<u8>>,
    pub(crate) kinds: Arc<Kinds>,
    /// The directory, a file, what stands before a file's text (all of a link), and a text that
    /// nobody reads.
    pub(crate) own: [Kind; 4],
    /// End what takes long in any language when the whole has to end.
    pub(crate) _interruptions: Vec<InterruptionGuard>,
}

impl Members {
    /// Returns the language of the file at a path.
    pub(crate) fn of(&self, path: &[u8]) -> Option<&Arc<Language>> {
        self.of.get(path).or_else(|| self.of_suffix.get(suffix(path))?.as_ref())
    }

    /// Returns whether a file may be at a path: the directory had one there, one of the same name
    /// elsewhere, or one of another name with the same suffix.
    pub(crate) fn may_be(&self, path: &[u8]) -> bool {
        let is_plain = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
        let name = name_of(path);
        let stem = name.len() - suffix(path).len();
        let is_known = self.names.contains(name) || (1..=SHORT).contains(&stem);
        let is_like_another = || is_known && path.split(|&byte| byte == b'/').all(is_plain);
        self.of.contains_key(path) || self.of(path).is_some() && is_like_another()
    }
}

/// A new name has no more letters than this before its suffix.
const SHORT: usize = 2;

/// Returns the suffix of a path, with the dot; without one, the name, which then says all.
pub(crate) fn suffix(path: &[u8]) -> &[u8] {
    let suffix = &name_of(path)[stem_of(path).len()..];
    if suffix.is_empty() { name_of(path) } else { suffix }
}
