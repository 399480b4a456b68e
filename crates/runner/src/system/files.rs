//! Files and directories by their paths.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions, ReadDir};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{
    DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink,
};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, FlockOperation, OFlags, access, flock};
use rustix::io::Errno;
use xxhash_rust::xxh3::xxh3_64;

use super::interceptor::{Operation, ask, tell_opened};

/// Larger files are not read: nobody reduces an input of that size, and a device may have no end.
pub const LIMIT: u64 = 1 << 30;

/// The longest name that common file systems take, in bytes.
const LONGEST: usize = 255;

/// Returns the name if it leaves room for this many further bytes; else its beginning and a hash of
/// it all, so that different names stay different.
pub fn shortened(name: &OsStr, room: usize) -> OsString {
    let bytes = name.as_bytes();
    if bytes.len() + room <= LONGEST {
        return name.to_owned();
    }
    let hash = format!("~{:016x}", xxh3_64(bytes));
    let mut end = LONGEST.saturating_sub(room + hash.len());
    // Not in the middle of a character, which some file systems refuse.
    while end > 0 && bytes[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    let mut short = bytes[..end].to_owned();
    short.extend_from_slice(hash.as_bytes());
    OsString::from_vec(short)
}

/// Reads a whole file of at most this many bytes.
///
/// # Errors
/// If it cannot be read, or is larger (`FileTooLarge`).
pub fn read_limited(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    read_open(file, limit)
}

/// Reads a whole file that is open.
pub(crate) fn read_open(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata().map_or(0, |data| data.len());
    let mut text = Vec::new();
    if length <= limit {
        file.take(limit + 1).read_to_end(&mut text)?;
    }
    if length.max(text.len() as u64) > limit {
        let message = format!("it has no end or more than {} MB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

/// Opens the null device for reading and writing.
///
/// # Errors
/// If the system refuses; the error names the device, since nobody has asked for it.
pub(crate) fn null() -> io::Result<File> {
    let path = Path::new("/dev/null");
    ask(&Operation::OpenFile(path))
        .and_then(|()| OpenOptions::new().read(true).write(true).open(path))
        .map_err(|error| io::Error::new(error.kind(), format!("/dev/null: {error}")))
}

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    ask(&Operation::OpenFile(path))?;
    File::open(path)
}

/// Writes all bytes to what is not replaced: a pipe or a device. Nobody is waited for who might
/// read from it.
///
/// # Errors
/// If the system refuses, or nobody has opened the pipe for reading.
pub(crate) fn write_stream(path: &Path, bytes: &[u8]) -> io::Result<()> {
    ask(&Operation::CreateFile(path))?;
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let mut file = options.open(path).map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::NXIO) => io::Error::new(io::ErrorKind::BrokenPipe, "nobody reads from it"),
        _ => error,
    })?;
    rustix::io::ioctl_fionbio(&file, false)?;
    ask(&Operation::Write { file: &file, offset: 0, bytes })?;
    file.write_all(bytes)
}

/// Makes a file that must not exist, not even as a link.
pub(crate) fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    ask(&Operation::CreateFile(path))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(mode);
    let file = options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path)?;
    tell_opened(path, &file);
    Ok(file)
}

/// Writes all bytes at a place in a file.
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    ask(&Operation::Write { file, offset, bytes })?;
    file.write_all_at(bytes, offset)
}

/// Cuts a file off.
pub(crate) fn truncate(file: &File, length: u64) -> io::Result<()> {
    ask(&Operation::Truncate { file, length })?;
    file.set_len(length)
}

/// Waits until a file is on the disk.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    ask(&Operation::Sync(file))?;
    file.sync_data()
}

/// Waits until the names in a directory are on the disk.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    ask(&Operation::SyncDirectory(path))?;
    File::open(path)?.sync_all()
}

/// Takes the lock of a file, or fails with `WouldBlock` if somebody has it.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    Ok(flock(file, FlockOperation::NonBlockingLockExclusive)?)
}

/// Gives a file or a directory another name, in place of what had it.
///
/// # Errors
/// If that cannot be done.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    ask(&Operation::Rename { from, to })?;
    fs::rename(from, to)
}

/// Removes a file or a link.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    ask(&Operation::Remove(path))?;
    fs::remove_file(path)
}

/// Removes a file or a link, or a directory with all that is in it, also if some of it is
/// read-only. Follows no link.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    ask(&Operation::Remove(path))?;
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    fs::remove_dir_all(path).or_else(|_| {
        make_writable(path);
        fs::remove_dir_all(path)
    })
}

/// Removes what is in a directory under names that begin like this and was left there by writers
/// which were killed: nobody holds their locks. What cannot be removed does no harm.
pub(crate) fn remove_abandoned(directory: &Path, prefix: &OsStr) {
    let user = rustix::process::geteuid().as_raw();
    for entry in read_directory(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.as_encoded_bytes().starts_with(prefix.as_encoded_bytes())
            && entry
                .metadata()
                .is_ok_and(|data| data.uid() == user && (data.is_dir() || data.is_file()));
        if is_ours && open(&entry.path()).is_ok_and(|held| lock(&held).is_ok()) {
            let _ = remove(&entry.path());
        }
    }
}

/// Gives the user the right to remove everything below a directory; links are left alone.
fn make_writable(top: &Path) {
    let mut open = vec![top.to_owned()];
    while let Some(path) = open.pop() {
        // A directory that may not be read cannot be opened: its mode is set by name, and nobody
        // else can put a link into its parent, which is ours and private.
        let _ = fs::set_permissions(&path, Permissions::from_mode(0o700));
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        open.extend(entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
}

/// Makes a directory that only the user can enter.
pub(crate) fn create_private_directory(path: &Path) -> io::Result<()> {
    ask(&Operation::CreateDirectory(path))?;
    DirBuilder::new().mode(0o700).create(path)
}

/// Makes a directory with the permissions that the user's others have.
pub(crate) fn create_directory(path: &Path) -> io::Result<()> {
    ask(&Operation::CreateDirectory(path))?;
    fs::create_dir(path)
}

/// Makes a directory and those above it, unless they exist.
pub(crate) fn create_directories(path: &Path) -> io::Result<()> {
    ask(&Operation::CreateDirectory(path))?;
    fs::create_dir_all(path)
}

/// Makes the directories above a path, unless they exist.
pub(crate) fn create_parents(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), create_directories)
}

/// Makes a link that leads to `target`.
pub(crate) fn create_link(target: &Path, path: &Path) -> io::Result<()> {
    ask(&Operation::CreateFile(path))?;
    symlink(target, path)
}

/// Copies a file into a new one, and returns that. Where the file system can do that, both share
/// their content until one of them changes.
pub(crate) fn copy_to_new(source: &Path, path: &Path, mode: u32) -> io::Result<File> {
    let source = open(source)?;
    let copy = create_new(path, mode)?;
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(&copy, &source).is_ok() {
        return Ok(copy);
    }
    let mut buffer = vec![0; 1 << 16];
    let length = source.metadata()?.len();
    let mut offset = 0;
    loop {
        // Where nothing was ever written, nothing is copied.
        offset = next_data(&source, offset).unwrap_or(length.max(offset));
        let read = source.read_at(&mut buffer, offset)?;
        if read == 0 {
            truncate(&copy, offset)?;
            return Ok(copy);
        }
        write_at(&copy, &buffer[..read], offset)?;
        offset += read as u64;
    }
}

/// Returns where the next bytes of a file are that were written; `None` after the last.
#[cfg(target_os = "linux")]
fn next_data(file: &File, offset: u64) -> Option<u64> {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(offset)) {
        Err(Errno::NXIO) => None,
        found => Some(found.unwrap_or(offset)),
    }
}

#[cfg(not(target_os = "linux"))]
fn next_data(_: &File, offset: u64) -> Option<u64> {
    Some(offset)
}

/// Lists a directory.
pub(crate) fn read_directory(path: &Path) -> io::Result<ReadDir> {
    ask(&Operation::OpenFile(path))?;
    fs::read_dir(path)
}

/// Lists all that is below a directory, by paths relative to it, each directory before what is in
/// it. Follows no link; what is removed meanwhile is left out.
pub(crate) fn all_below(top: &Path) -> impl Iterator<Item = io::Result<(PathBuf, Metadata)>> {
    let (mut open, mut found) = (vec![PathBuf::new()], Vec::new());
    std::iter::from_fn(move || {
        while found.is_empty() {
            let below = open.pop()?;
            match read_directory(&top.join(&below)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Some(Err(error)),
                Ok(entries) => found.extend(entries.map(|entry| {
                    let entry = entry?;
                    Ok((below.join(entry.file_name()), entry.metadata()?))
                })),
            }
        }
        let found = found.pop()?;
        if let Ok((path, data)) = &found
            && data.is_dir()
        {
            open.push(path.clone());
        }
        Some(found)
    })
}

/// Returns the directory that a path is in.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Checks that something can be made under a name: the directory that it will be in exists and can
/// be written to.
pub(crate) fn can_be_created(path: &Path) -> io::Result<()> {
    let parent = parent(path);
    if !fs::metadata(parent)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(access(parent, Access::WRITE_OK | Access::EXEC_OK)?)
}

/// Checks the same for a directory that is made together with those above it.
pub(crate) fn can_be_created_with_parents(path: &Path) -> io::Result<()> {
    let missing = path.ancestors().take_while(|above| fs::symlink_metadata(above).is_err()).last();
    missing.map_or(Ok(()), can_be_created)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused() {
        let error = read_limited(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "it has no end or more than 1 MB");
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_limited(&path, 5).unwrap(), b"12345");
        assert_eq!(read_limited(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn names_near_the_limit_become_shorter_and_stay_different() {
        assert_eq!(shortened(OsStr::new("a.c"), 20), "a.c");
        let long = |last: &str| OsString::from("ü".repeat(126) + last);
        let [a, b] = ["a", "b"].map(|last| shortened(&long(last), 20));
        assert!(a != b && a.len() <= 235 && a.to_str().is_some());
    }
}
