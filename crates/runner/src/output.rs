//! The best result so far on disk, complete at any moment. Knows files, no session.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::{Access, FlockOperation, access, flock};
use tempfile::TempDir;

/// The least time between two writes of better and better results.
const PAUSE: Duration = Duration::from_millis(100);

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {error}", .path.display())]
pub struct OutputError {
    /// Where it should have gone.
    pub path: PathBuf,
    /// What the system says.
    pub error: io::Error,
}

/// A place for the result: a file that is replaced as a whole, or something that can only be
/// written to once (standard output, a pipe, a device).
#[derive(Clone, Debug)]
pub struct Output {
    /// As it was given, for people.
    name: PathBuf,
    path: PathBuf,
    replace: bool,
    permissions: Option<Permissions>,
}

impl Output {
    /// Results go to `path`, with the permissions of the file `like`.
    pub fn new(path: &Path, like: &Path) -> Self {
        let name = path.to_owned();
        // A link stays one; the file behind it is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let replace = fs::metadata(&path).map_or(true, |data| data.is_file() || data.is_dir());
        Self {
            name,
            path,
            replace,
            permissions: fs::metadata(like).ok().map(|data| data.permissions()),
        }
    }

    /// Where results go, as it was given.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Whether results may be written again and again, each replacing the one before.
    pub fn can_be_replaced(&self) -> bool {
        self.replace
    }

    /// Writes a result. A file is replaced in one step when the new one is safely on disk: whoever
    /// reads it sees the old or the new text, never a part, even after a power cut.
    ///
    /// # Errors
    /// When the directory is missing or read-only, the disk is full, and so on. The old file is
    /// still there then.
    pub fn write(&self, text: &[u8]) -> Result<(), OutputError> {
        self.try_write(text).map_err(|error| OutputError { path: self.name.clone(), error })
    }

    fn try_write(&self, text: &[u8]) -> io::Result<()> {
        if !self.replace {
            return File::options().write(true).open(&self.path)?.write_all(text);
        }
        let directory = self.directory();
        if self.path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // Asked first, since an error about the temporary file would only confuse.
        access(directory, Access::WRITE_OK)?;
        let mut file = tempfile::Builder::new().prefix(&self.prefix()).tempfile_in(directory)?;
        // Who can lock such a file knows that its writer is dead.
        flock(file.as_file(), FlockOperation::NonBlockingLockExclusive)?;
        file.write_all(text)?;
        if let Some(permissions) = &self.permissions {
            file.as_file().set_permissions(permissions.clone())?;
        }
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        // Some file systems cannot sync a directory; the file itself is safe.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
        Ok(())
    }
}

impl Output {
    /// An empty directory beside the result, to make one in; it goes when it is dropped, or is
    /// [cleaned](Self::clean) away by a later run.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn workshop(&self) -> io::Result<Workshop> {
        let place = tempfile::Builder::new().prefix(&self.prefix()).tempdir_in(self.directory())?;
        let lock = File::open(place.path())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Workshop { place, _lock: lock })
    }

    /// Removes what writers left beside the result which were killed.
    pub fn clean(&self) {
        let prefix = self.prefix();
        for entry in fs::read_dir(self.directory()).into_iter().flatten().flatten() {
            let ours = entry.file_name().as_bytes().starts_with(prefix.as_bytes());
            let file = ours.then(|| File::open(entry.path()).ok()).flatten();
            let dead = |file: &File| flock(file, FlockOperation::NonBlockingLockExclusive).is_ok();
            if file.as_ref().is_some_and(dead) {
                // What cannot be removed does no harm.
                let _ = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    true => fs::remove_dir_all(entry.path()),
                    false => fs::remove_file(entry.path()),
                };
            }
        }
    }

    /// Where the result is.
    fn directory(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    /// How the names of files begin that become the result.
    fn prefix(&self) -> OsString {
        let mut prefix = OsString::from(".minirepro-");
        prefix.push(self.path.file_name().unwrap_or_default());
        prefix.push("-");
        prefix
    }
}

/// A directory beside a result, see [`Output::workshop`].
#[derive(Debug)]
pub struct Workshop {
    place: TempDir,
    /// Who can lock it knows that its owner is dead.
    _lock: File,
}

impl Workshop {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.place.path()
    }
}

/// Writes results on a thread of its own, so that a slow disk never delays a test: the first at
/// once, then at most one in a tenth of a second, the last in any case.
#[derive(Debug)]
pub struct Writer {
    results: Sender<Arc<[u8]>>,
    thread: JoinHandle<Result<(), OutputError>>,
}

impl Writer {
    /// Starts to write what is [`offered`](Self::offer) to `output`.
    pub fn new(output: Output) -> Self {
        let (results, inbox) = channel();
        Self { results, thread: thread::spawn(move || write_all(&output, &inbox)) }
    }

    /// Hands over a new result; older ones that are not yet written are forgotten.
    pub fn offer(&self, result: Arc<[u8]>) {
        // The thread only ends before us when it panicked, which `finish` passes on.
        let _ = self.results.send(result);
    }

    /// Waits until the last result is written.
    ///
    /// # Errors
    /// When the last result could not be written; errors before that don't matter any more.
    ///
    /// # Panics
    /// When the writing thread did.
    pub fn finish(self) -> Result<(), OutputError> {
        drop(self.results);
        match self.thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn write_all(output: &Output, inbox: &Receiver<Arc<[u8]>>) -> Result<(), OutputError> {
    let mut last = Ok(());
    while let Ok(mut newest) = inbox.recv() {
        newest = inbox.try_iter().last().unwrap_or(newest);
        last = output.write(&newest);
        let next = Instant::now() + PAUSE;
        let mut waiting = None;
        let open = loop {
            match inbox.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(result) => waiting = Some(result),
                Err(RecvTimeoutError::Timeout) => break true,
                Err(RecvTimeoutError::Disconnected) => break false,
            }
        };
        if let Some(result) = waiting {
            last = output.write(&result);
        }
        if !open {
            break;
        }
    }
    last
}

/// Puts a result that could not be written where it should be into a directory for temporary
/// files.
///
/// # Errors
/// When there is no space either.
pub fn rescue(name: &Path, text: &[u8]) -> io::Result<PathBuf> {
    let suffix = name.file_name().map(|n| format!("-{}", n.display())).unwrap_or_default();
    let mut file =
        tempfile::Builder::new().prefix("minirepro-rescued-").suffix(&suffix).tempfile()?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    let (_, path) = file.keep().map_err(|e| e.error)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_last_result_is_written_and_has_the_permissions_of_the_input() {
        let place = tempfile::tempdir().unwrap();
        let input = place.path().join("input.sh");
        fs::write(&input, "original").unwrap();
        fs::set_permissions(&input, Permissions::from_mode(0o750)).unwrap();
        let out = place.path().join("input.min.sh");
        let writer = Writer::new(Output::new(&out, &input));
        (0..100).for_each(|i| writer.offer(format!("result {i}").into_bytes().into()));
        writer.finish().unwrap();
        assert_eq!(fs::read_to_string(&out).unwrap(), "result 99");
        assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o750);
        assert_eq!(fs::read_to_string(&input).unwrap(), "original");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2, "no temporary file stays");
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_but_not_what_is_being_written() {
        let place = tempfile::tempdir().unwrap();
        let out = Output::new(&place.path().join("a.c"), Path::new("a.c"));
        let workshop = out.workshop().unwrap();
        let killed = place.path().join(".minirepro-a.c-z");
        fs::create_dir_all(killed.join("new/deep")).unwrap();
        let [dead, alive, other] = [".minirepro-a.c-x", ".minirepro-a.c-y", ".minirepro-b.c-x"]
            .map(|n| place.path().join(n));
        let files = [&dead, &alive, &other].map(|path| File::create(path).unwrap());
        flock(&files[1], FlockOperation::NonBlockingLockExclusive).unwrap();
        out.clean();
        assert_eq!([dead, alive, other].map(|path| path.exists()), [false, true, true]);
        assert!(!killed.exists() && workshop.path().exists());
    }

    #[test]
    fn a_failed_write_leaves_the_old_result_alone_and_is_told() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, "x").unwrap();
        let below = Output::new(&file.join("out.c"), &file);
        assert!(below.write(b"y").unwrap_err().to_string().contains("file/out.c"));
        assert!(Output::new(place.path(), &file).write(b"y").is_err());
        let writer = Writer::new(below);
        writer.offer(Arc::from(*b"z"));
        assert!(writer.finish().is_err());
        assert_eq!(fs::read(&file).unwrap(), b"x");
    }

    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let place = tempfile::tempdir().unwrap();
        let [real, link] = ["real", "link"].map(|name| place.path().join(name));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        Output::new(&link, &real).write(b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        let null = Output::new(Path::new("/dev/null"), &real);
        assert!(!null.can_be_replaced());
        null.write(b"new").unwrap();
    }
}
