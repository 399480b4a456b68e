//! Directories as archives.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use minirepro_circumstances::archive::{Kind, pack};
use minirepro_runner::system::{LIMIT, read_limited};

use crate::error::{Error, Unreadable};

/// Directories of version control, which belong to no candidate.
const IGNORED: [&str; 3] = [".git", ".hg", ".svn"];

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

/// Reads all files below a directory. Links stay links; what is not a file is left out.
///
/// # Errors
/// If something cannot be read.
pub fn directory(top: &Path) -> Result<Vec<u8>, Error> {
    let mut files = Vec::new();
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        let told = |error: io::Error, path: &Path| Error::InputUnreadable {
            path: path.to_owned(),
            cause: Unreadable::Io(error),
        };
        for entry in fs::read_dir(&directory).map_err(|error| told(error, &directory))? {
            let path = entry.map_err(|error| told(error, &directory))?.path();
            if IGNORED.iter().any(|name| path.file_name() == Some(OsStr::new(name))) {
                continue;
            }
            let name = path.strip_prefix(top).unwrap_or(&path).as_os_str().as_bytes().to_vec();
            match read_entry(&path).map_err(|error| told(error, &path))? {
                Some((kind, text)) => files.push(File { kind, path: name, text }),
                None if path.is_dir() => open.push(path),
                None => {}
            }
        }
    }
    archive(files).map_err(|cause| Error::InputUnreadable { path: top.to_owned(), cause })
}

fn read_entry(path: &Path) -> io::Result<Option<(Kind, Vec<u8>)>> {
    let data = fs::symlink_metadata(path)?;
    if data.is_symlink() {
        return Ok(Some((Kind::Link, fs::read_link(path)?.into_os_string().as_bytes().to_vec())));
    }
    if !data.is_file() {
        return Ok(None);
    }
    let executable = data.permissions().mode() & 0o111 != 0;
    let kind = if executable { Kind::Executable } else { Kind::Plain };
    Ok(Some((kind, read_limited(path, LIMIT)?)))
}
