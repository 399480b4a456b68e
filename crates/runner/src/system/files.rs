//! Files and directories by their paths.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, ReadDir};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{
    DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink,
};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, FlockOperation, OFlags, access, flock};
use rustix::io::Errno;
use rustix::process::geteuid;
use xxhash_rust::xxh3::xxh3_64;

use super::interceptor::{Operation, ask, tell_opened};

/// Larger files are not read: nobody reduces an input of that size, and a device may have no end.
pub const LIMIT: u64 = 1 << 30;

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
    if file.metadata().is_ok_and(|data| data.len() > limit) {
        return Err(too_large(limit));
    }
    read_stream(file, limit)
}

/// Reads a stream to its end, if that comes within this number of bytes.
///
/// # Errors
/// If it cannot be read, or is longer (`FileTooLarge`).
fn read_stream(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    from.take(limit + 1).read_to_end(&mut text)?;
    if text.len() as u64 > limit { Err(too_large(limit)) } else { Ok(text) }
}

fn too_large(limit: u64) -> io::Error {
    let message = format!("it has no end or more than {} MB", limit >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// The device that is always empty, and forgets what is written to it.
const NULL: &str = "/dev/null";

/// Opens the null device for reading and writing.
///
/// # Errors
/// If the system refuses; the error names the device, since nobody has asked for it.
pub(crate) fn null() -> io::Result<File> {
    let path = Path::new(NULL);
    ask(&Operation::OpenFile(path))
        .and_then(|()| OpenOptions::new().read(true).write(true).open(path))
        .map_err(|error| io::Error::new(error.kind(), format!("{NULL}: {error}")))
}

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    ask(&Operation::OpenFile(path))?;
    File::open(path)
}

/// Opens a file, a pipe or a device for writing. Nobody is waited for who might read from it.
///
/// # Errors
/// If the system refuses, or nobody has opened the pipe for reading.
pub(crate) fn open_to_write(path: &Path) -> io::Result<File> {
    ask(&Operation::CreateFile(path))?;
    let mut options = OpenOptions::new();
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let opened = options.write(true).custom_flags(flags).open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::NXIO) => io::Error::new(io::ErrorKind::BrokenPipe, "nobody reads from it"),
        _ => error,
    })?;
    rustix::io::ioctl_fionbio(&file, false)?;
    Ok(file)
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

/// Writes all bytes to what may have no places, like a pipe.
pub(crate) fn write_stream(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    ask(&Operation::Write { file, offset: 0, bytes })?;
    file.write_all(bytes)
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
    ask(&Operation::Lock(file))?;
    Ok(flock(file, FlockOperation::NonBlockingLockExclusive)?)
}

/// Sets the permissions of an open file.
pub(crate) fn set_permissions(file: &File, permissions: Permissions) -> io::Result<()> {
    ask(&Operation::SetPermissions(file))?;
    file.set_permissions(permissions)
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
    ask(&Operation::RemoveFile(path))?;
    fs::remove_file(path)
}

/// Removes an empty directory.
pub(crate) fn remove_directory(path: &Path) -> io::Result<()> {
    ask(&Operation::RemoveDirectory(path))?;
    fs::remove_dir(path)
}

/// Removes a directory with all that is in it, and follows no link.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    ask(&Operation::RemoveDirectory(path))?;
    fs::remove_dir_all(path)
}

/// Makes a directory that only the user can enter.
pub(crate) fn create_private_directory(path: &Path) -> io::Result<()> {
    ask(&Operation::CreateDirectory(path))?;
    DirBuilder::new().mode(0o700).create(path)
}

/// Makes a private directory whose name begins like this.
pub(crate) fn create_named_directory(parent: &Path, prefix: &OsStr) -> io::Result<PathBuf> {
    let mut builder = tempfile::Builder::new();
    let made = builder.prefix(prefix).make_in(parent, create_private_directory)?;
    Ok(made.into_temp_path().keep()?)
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

/// Makes a directory and those above it that only the user can enter, unless they exist.
pub(crate) fn create_private_directories(path: &Path) -> io::Result<()> {
    ask(&Operation::CreateDirectory(path))?;
    DirBuilder::new().mode(0o700).recursive(true).create(path)
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
    ask(&Operation::ReadDirectory(path))?;
    fs::read_dir(path)
}

/// Lets a directory be entered and changed by the user, unless it is a link.
pub(crate) fn make_directory_writable(path: &Path) -> io::Result<()> {
    // A directory that may not be read cannot be opened: its mode is set by name then, and nobody
    // else can put a link into its parent, which is ours and private.
    let is_directory = fs::symlink_metadata(path)?.is_dir();
    if is_directory { fs::set_permissions(path, Permissions::from_mode(0o700)) } else { Ok(()) }
}

/// Returns whether a path is a link that another user has put into a directory in which everybody
/// can make files. Linux follows none, by default.
pub(crate) fn is_trap(path: &Path) -> bool {
    let (Ok(link), Ok(directory)) = (fs::symlink_metadata(path), fs::metadata(parent(path))) else {
        return false;
    };
    let user = geteuid().as_raw();
    link.is_symlink() && leads_astray(link.uid(), (directory.uid(), directory.mode()), user)
}

fn leads_astray(link_owner: u32, (owner, mode): (u32, u32), user: u32) -> bool {
    const BY_ALL: u32 = 0o002;
    mode & BY_ALL != 0 && link_owner != user && link_owner != owner
}

/// Returns the directory that a path is in.
fn parent(path: &Path) -> &Path {
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
    fn links_of_others_are_followed_only_where_they_alone_could_make_them() {
        let (user, other, root) = (1000, 1001, 0);
        for (link, directory, expected) in [
            (other, (root, 0o1777), true),
            (user, (root, 0o1777), false),
            (root, (root, 0o1777), false),
            (other, (root, 0o755), false),
        ] {
            assert_eq!(leads_astray(link, directory, user), expected, "{link} {directory:?}");
        }
        assert!(leads_astray(other, (root, 0o1777), root));
    }

    #[test]
    fn a_stream_without_end_is_refused() {
        let error = read_stream(io::repeat(b'y'), 1 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_stream(&b"12345"[..], 5).unwrap(), b"12345");
    }
}

#[cfg(test)]
mod names_tests {
    use super::*;

    #[test]
    fn names_near_the_limit_become_shorter_and_stay_different() {
        assert_eq!(shortened(OsStr::new("a.c"), 20), "a.c");
        let long = |last: &str| OsString::from("ü".repeat(126) + last);
        let [a, b] = ["a", "b"].map(|last| shortened(&long(last), 20));
        assert!(a != b && a.len() <= 235 && a.to_str().is_some());
    }
}
