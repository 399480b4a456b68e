//! A directory whose files are ours: nobody else can put anything into it, and no link is followed,
//! neither to it nor in it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::geteuid;

use super::files;
use super::interceptor::{Operation, ask, tell_opened};

/// How the names begin of files that are being written.
const UNFINISHED: &str = ".minirepro-";

/// A directory of ours.
#[derive(Debug)]
pub(crate) struct OwnDirectory {
    path: PathBuf,
    descriptor: File,
}

impl OwnDirectory {
    /// Opens a directory that exists.
    ///
    /// # Errors
    /// If there is none, or it is a link or a file (`NotADirectory`).
    pub fn open(path: &Path) -> io::Result<Self> {
        ask(&Operation::OpenFile(path))?;
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
        Ok(Self { path: path.to_owned(), descriptor: options(false, flags).open(path)? })
    }

    /// Opens a directory that exists, unless somebody else could have made the files in it.
    ///
    /// # Errors
    /// If there is none, it is a link or a file (`NotADirectory`), or it belongs to another user or
    /// can be changed by all of them (`PermissionDenied`).
    pub fn open_trusted(path: &Path) -> io::Result<Self> {
        let directory = Self::open(path)?;
        let data = directory.descriptor.metadata()?;
        match doubt(data.uid(), data.mode(), geteuid().as_raw()) {
            Some(doubt) => Err(io::Error::new(io::ErrorKind::PermissionDenied, doubt)),
            None => Ok(directory),
        }
    }

    /// Opens a directory, which is made if only it is missing.
    ///
    /// # Errors
    /// If it cannot be made, or not be opened, as in [`open_trusted`](Self::open_trusted).
    pub fn open_or_create(path: &Path) -> io::Result<Self> {
        match files::create_private_directory(path) {
            // Some file systems say that everything is another user's.
            Ok(()) => Self::open(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::open_trusted(path),
            Err(error) => Err(error),
        }
    }

    /// Takes its lock. A process that a killed run was just starting holds it for a moment longer
    /// than the run itself, on a busy machine for seconds, so this tries again for about five.
    ///
    /// # Errors
    /// If another run has it (`WouldBlock`), or the system refuses.
    pub fn lock_patiently(&self) -> io::Result<()> {
        for _ in 0..100 {
            match files::lock(&self.descriptor) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                locked => return locked,
            }
        }
        files::lock(&self.descriptor)
    }

    /// Lists the names in it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        files::read_directory(&self.path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// Opens a file for reading, and for writing if `write`. It must be a file, not a link or a
    /// device.
    ///
    /// # Errors
    /// If there is none.
    pub fn open_file(&self, name: &OsStr, write: bool) -> io::Result<File> {
        let path = self.path.join(name);
        ask(&if write { Operation::CreateFile(&path) } else { Operation::OpenFile(&path) })?;
        // Opening a pipe must not wait for its other end.
        let file = options(write, OFlags::NOFOLLOW | OFlags::NONBLOCK).open(&path)?;
        if !file.metadata()?.is_file() {
            return Err(Errno::LOOP.into());
        }
        if write {
            tell_opened(&path, &file);
        }
        Ok(file)
    }

    /// Makes a file with a name of its own, which only the user can read.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create_unfinished(&self, name: &OsStr) -> io::Result<(OsString, File)> {
        let mut prefix = OsString::from(UNFINISHED);
        prefix.push(name);
        let mut builder = tempfile::Builder::new();
        let made =
            builder.prefix(&prefix).make_in(&self.path, |at| files::create_new(at, 0o600))?;
        let (file, path) = made.keep().map_err(|error| error.error)?;
        Ok((path.file_name().unwrap_or_default().to_owned(), file))
    }

    /// Gives a file in it another name.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        files::rename(&self.path.join(from), &self.path.join(to))
    }

    /// Removes a file.
    ///
    /// # Errors
    /// If there is none, or it cannot be removed.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        files::remove_file(&self.path.join(name))
    }

    /// Removes files whose writers were killed: nobody holds their locks.
    pub fn remove_unfinished(&self) {
        files::remove_abandoned(&self.path, OsStr::new(UNFINISHED));
    }

    /// Waits until all names in it are on the disk.
    pub fn sync(&self) {
        // Some file systems cannot do that; the files themselves are safe.
        let _ = files::sync_directory(&self.path);
    }

    /// Removes the directory if it is empty.
    pub fn remove_if_empty(&self) {
        // What cannot be removed does no harm.
        let _ = ask(&Operation::Remove(&self.path)).and_then(|()| std::fs::remove_dir(&self.path));
    }
}

fn options(write: bool, flags: OFlags) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(write).custom_flags(flags.bits().cast_signed());
    options
}

/// Returns why somebody else could have made what is in a directory.
fn doubt(owner: u32, mode: u32, user: u32) -> Option<&'static str> {
    const BY_ALL: u32 = 0o002;
    if owner != user {
        Some("it belongs to another user")
    } else if mode & BY_ALL != 0 {
        Some("every user can change it")
    } else {
        None
    }
}

/// Returns whether something could not be opened because it is a link, a directory or a device, not
/// because the system refused to open it.
pub(crate) fn is_of_another_kind(error: &io::Error) -> bool {
    let kinds = [Errno::LOOP, Errno::MLINK, Errno::NOTDIR, Errno::ISDIR, Errno::NXIO];
    Errno::from_io_error(error).is_some_and(|number| kinds.contains(&number))
}

/// Returns whether a file with this name was never finished.
pub(crate) fn is_unfinished(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_else_could_have_made_is_trusted() {
        assert_eq!(doubt(1000, 0o040_775, 1000), None);
        assert_eq!(doubt(1000, 0o041_777, 1000), Some("every user can change it"));
        assert_eq!(doubt(1001, 0o040_700, 0), Some("it belongs to another user"));
        assert_eq!(doubt(0, 0o040_755, 1000), Some("it belongs to another user"));
    }
}
