//! The original of a directory, of which a test can get a copy without anybody reading it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::process::cancel::CancelToken;
use crate::scratch::private::PrivateCopies;
use crate::spec::workplace::lexically_normal;
use crate::system::files::{self, LIMIT};

/// A copy of a directory with more files, or more bytes in them, costs more than it is worth.
const MOST_ENTRIES: usize = 3_000;
const MOST_BYTES: u64 = 64 << 20;

/// A directory as it lies there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Original {
    /// Where it is.
    pub root: PathBuf,
    /// What belongs to it.
    pub files: Vec<Listed>,
}

/// A file of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its place in the directory.
    pub path: PathBuf,
    /// Its form.
    pub form: ListedForm,
}

/// The form of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedForm {
    /// With this length and these permissions.
    File {
        /// Its length.
        bytes: u64,
        /// Its permissions.
        mode: u32,
    },
    /// A link to this place.
    Link(PathBuf),
}

impl Original {
    /// Lists all that is in a directory, if a copy of it costs little. Links that lead out of it
    /// are left out.
    pub(crate) fn small(root: &Path) -> Option<Self> {
        let mut listed = Vec::new();
        let (mut entries, mut all_bytes) = (0, 0);
        for entry in files::all_below(root) {
            let (path, data) = entry.ok()?;
            entries += 1;
            if data.is_symlink() {
                let target = fs::read_link(root.join(&path)).ok()?;
                let leads_to = root.join(&path).with_file_name("").join(&target);
                if target.is_relative() && lexically_normal(&leads_to).starts_with(root) {
                    listed.push(Listed { path, form: ListedForm::Link(target) });
                }
            } else if data.is_file() {
                let (bytes, mode) = (data.len(), data.permissions().mode());
                all_bytes += bytes;
                listed.push(Listed { path, form: ListedForm::File { bytes, mode } });
            }
            if entries > MOST_ENTRIES || all_bytes > MOST_BYTES {
                return None;
            }
        }
        Some(Self { root: root.to_owned(), files: listed })
    }

    /// Copies it to a new directory, and returns all directories in there, relative to it.
    ///
    /// # Errors
    /// If a file cannot be copied, or `stop` is set.
    pub(crate) fn copy_to(
        &self,
        directory: &Path,
        private: &PrivateCopies,
        stop: &CancelToken,
    ) -> io::Result<BTreeSet<&Path>> {
        files::create_directory(directory)?;
        let mut made = BTreeSet::from([Path::new("")]);
        for Listed { path, form } in &self.files {
            if stop.is_set() {
                return Err(io::Error::other("it was stopped"));
            }
            let parent = path.parent().unwrap_or(Path::new(""));
            if made.insert(parent) {
                files::create_directories(&directory.join(parent))?;
                made.extend(parent.ancestors());
            }
            let place = directory.join(path);
            match form {
                // Nobody reduces it.
                ListedForm::File { bytes, mode } if *bytes > LIMIT => {
                    files::truncate(&files::create_new(&place, *mode)?, *bytes)?;
                }
                ListedForm::File { mode, .. } => {
                    let source = self.root.join(path);
                    let copied = files::copy_to_new(&source, &place, *mode).map(drop);
                    // A file that is gone since was no part of it, like those of a killed run.
                    copied.or_else(|error| if source.exists() { Err(error) } else { Ok(()) })?;
                }
                ListedForm::Link(target) => {
                    files::create_link(&private.instead_of(target, stop)?, &place)?;
                }
            }
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_gone_since_is_not_copied() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("project");
        fs::create_dir(&root).unwrap();
        for name in ["kept", "gone"] {
            fs::write(root.join(name), "x").unwrap();
        }
        let original = Original::small(&root).unwrap();
        fs::remove_file(root.join("gone")).unwrap();
        let private = PrivateCopies::new(place.path().join("private"));
        let copy = place.path().join("copy");
        original.copy_to(&copy, &private, &CancelToken::new().unwrap()).unwrap();
        let copied = fs::read_dir(&copy).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(copied.collect::<Vec<_>>(), ["kept"]);
    }
}
