//! The original of a directory, of which a test can get a copy without anybody reading it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::process::cancel::CancelToken;
use crate::system::files;

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
    /// Copies it to a new directory, and returns all directories in there, relative to it.
    ///
    /// # Errors
    /// If a file cannot be copied, or `stop` is set.
    pub(crate) fn copy_to(
        &self,
        directory: &Path,
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
                ListedForm::File { mode, .. } => {
                    files::copy_to_new(&self.root.join(path), &place, *mode)?;
                }
                ListedForm::Link(target) => files::create_link(target, &place)?,
            }
        }
        Ok(made)
    }
}
