//! Directories as archives.

use std::path::Path;

use minirepro_circumstances::archive::{Kind, pack};

use crate::error::{Error, Unreadable};
use crate::sources::project::{Part, listed_but, read};

/// A file on its way into an archive.
pub(super) struct File {
    pub(super) kind: Kind,
    pub(super) path: Vec<u8>,
    pub(super) text: Vec<u8>,
}

/// Packs files in the order of their paths.
pub(super) fn archive(mut files: Vec<File>) -> Result<Vec<u8>, Unreadable> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let archive = pack(files.iter().map(|file| (file.kind, &file.path[..], &file.text[..])));
    let archive = archive.ok_or(Unreadable::HoldsSeparator)?;
    if u32::try_from(archive.len()).is_err() {
        return Err(Unreadable::TooLarge);
    }
    Ok(archive)
}

/// Reads all files below a directory but those of version control. Links stay links; what is not a
/// file is left out.
///
/// # Errors
/// If something cannot be read.
pub fn directory(top: &Path) -> Result<Vec<u8>, Error> {
    let is_of_control = |place: &Path| [".git", ".hg", ".svn"].iter().any(|n| place.ends_with(n));
    let files = listed_but(top, |place| is_of_control(place).then_some(None))?;
    read(&files, |_| Part::Whole)
}
