//! The best result so far on disk, complete at any moment.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};

use crate::journal::format::Digest;
use crate::system::files::shortened;
use crate::system::resources::spawn_thread;
use crate::system::{files, lock};

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
/// written to once (standard output, a pipe, a device). Copies of it know what the others have
/// written.
#[derive(Clone, Debug)]
pub struct Output {
    /// As it was given, for people.
    name: PathBuf,
    path: PathBuf,
    replace: bool,
    permissions: Option<Permissions>,
    written: Arc<Mutex<WrittenSoFar>>,
}

/// What was written to an output so far.
#[derive(Debug, Default)]
struct WrittenSoFar {
    last: Option<Digest>,
    /// Where results are that somebody else has changed.
    kept: Vec<PathBuf>,
}

impl Output {
    /// Results go to `path`, with the permissions of the file `like`.
    pub fn new(path: &Path, like: &Path) -> Self {
        let name = path.to_owned();
        // A link stays a link; the file that it leads to is replaced. One that the system does not
        // follow, since somebody has put it into a directory like `/tmp`, is replaced itself, or
        // cannot be.
        let path = fs::metadata(path).and_then(|_| fs::canonicalize(path)).unwrap_or(name.clone());
        let replace = fs::metadata(&path).map_or(true, |data| data.is_file() || data.is_dir());
        let permissions = fs::metadata(like).ok().map(|data| data.permissions());
        Self { name, path, replace, permissions, written: Arc::default() }
    }

    /// Returns where the results are that somebody else has changed before a better one came.
    pub fn kept(&self) -> Vec<PathBuf> {
        lock(&self.written).kept.clone()
    }

    /// Returns where results go, as it was given.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Returns whether results may be written again and again, each replacing the one before.
    pub fn can_be_replaced(&self) -> bool {
        self.replace
    }

    fn named<T>(&self, result: io::Result<T>) -> Result<T, OutputError> {
        result.map_err(|error| OutputError { path: self.name.clone(), error })
    }

    /// Checks that a result can be written here, and writes nothing.
    ///
    /// # Errors
    /// If the directory is missing or read-only, or a directory has this name.
    pub fn check(&self) -> Result<(), OutputError> {
        self.named(self.try_check())
    }

    /// Checks the same for a result that is a directory.
    ///
    /// # Errors
    /// If the directory above is missing or read-only.
    pub fn check_directory(&self) -> Result<(), OutputError> {
        self.named(files::can_be_created(&self.path))
    }

    fn try_check(&self) -> io::Result<()> {
        if !self.replace {
            return Ok(access(&self.path, Access::WRITE_OK)?);
        }
        if self.path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        files::can_be_created(&self.path)
    }

    /// Writes a result. A file is replaced in one step when the new one is safely on disk: whoever
    /// reads it sees the old or the new text, never a part, even after a power cut. If somebody has
    /// changed what was written last, a copy of that is [kept](Self::kept).
    ///
    /// # Errors
    /// If the directory is missing or read-only, the disk is full, and so on. The old file is
    /// still there then.
    pub fn write(&self, text: &[u8]) -> Result<(), OutputError> {
        self.named(self.try_write(text))
    }

    fn try_write(&self, text: &[u8]) -> io::Result<()> {
        if !self.replace {
            return files::write_stream(&self.path, text);
        }
        // Asked first, since an error about the temporary file would only confuse.
        self.try_check()?;
        let directory = files::parent(&self.path);
        // Without a model, a result is a new file like any other: the umask decides.
        let mode = if self.permissions.is_some() { 0o600 } else { 0o666 };
        let file = tempfile::Builder::new()
            .prefix(&self.prefix())
            .make_in(directory, |path| files::create_new(path, mode))?;
        // Who can lock such a file knows that its writer is dead.
        files::lock(file.as_file())?;
        files::write_at(file.as_file(), text, 0)?;
        if let Some(permissions) = &self.permissions {
            file.as_file().set_permissions(permissions.clone())?;
        }
        files::sync(file.as_file())?;
        let mut so_far = lock(&self.written);
        let kept = self.keep_changed(so_far.last.as_ref())?;
        so_far.kept.extend(kept);
        let (_open, written) = file.into_parts();
        files::rename(&written, &self.path)?;
        // It has another name now, under which it stays.
        let _ = written.keep();
        so_far.last = Some(Digest::of(text));
        // Some file systems cannot sync a directory; the file itself is safe.
        let _ = files::sync_directory(directory);
        Ok(())
    }

    /// Copies what is in the file if it is not what was written last; returns where the copy is.
    ///
    /// # Errors
    /// If it cannot be copied. It must not be replaced then.
    fn keep_changed(&self, last: Option<&Digest>) -> io::Result<Option<PathBuf>> {
        let Some(last) = last else { return Ok(None) };
        let text = match files::read_limited(&self.path, files::LIMIT) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        if Digest::of(&text) == *last {
            return Ok(None);
        }
        let mode = fs::metadata(&self.path)?.mode() & 0o777;
        for number in 1_u64.. {
            // `a.min.c.edited`, `a.min.c.edited2` and so on.
            let word = if number == 1 { ".edited".to_owned() } else { format!(".edited{number}") };
            let mut name = shortened(self.path.file_name().unwrap_or_default(), word.len());
            name.push(word);
            let copy = self.path.with_file_name(name);
            match files::create_new(&copy, mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => {
                    let file = file?;
                    files::write_at(&file, &text, 0)?;
                    files::sync(&file)?;
                    return Ok(Some(copy));
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Makes an empty directory beside the result, to make one in; it goes when it is dropped, or
    /// is [cleaned](Self::clean) away by a later run.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn workshop(&self) -> io::Result<Workshop> {
        let mut builder = tempfile::Builder::new();
        let place = builder.prefix(&self.prefix()).tempdir_in(files::parent(&self.path))?;
        let held = files::open(place.path())?;
        files::lock(&held)?;
        Ok(Workshop { place, _lock: held })
    }

    /// Removes what writers left beside the result which were killed.
    pub fn clean(&self) {
        files::remove_abandoned(files::parent(&self.path), &self.prefix());
    }

    /// Returns how the names of files begin that become the result.
    fn prefix(&self) -> OsString {
        let mut prefix = OsString::from(".minirepro-");
        // A dash and what makes it unique follow.
        prefix.push(shortened(self.path.file_name().unwrap_or_default(), prefix.len() + 16));
        prefix.push("-");
        prefix
    }
}

/// A directory beside a result, see [`Output::workshop`].
#[derive(Debug)]
pub struct Workshop {
    place: tempfile::TempDir,
    /// Who can lock it knows that its owner is dead.
    _lock: File,
}

impl Workshop {
    /// Returns where it is.
    pub fn path(&self) -> &Path {
        self.place.path()
    }
}

/// Writes results on a thread of its own, so that a slow disk never delays a test: the first at
/// once, then at most one in a tenth of a second, the last in any case, also if the writer is
/// dropped: nothing is written after its end.
#[derive(Debug)]
pub struct Writer {
    results: Option<Sender<Arc<[u8]>>>,
    thread: Option<JoinHandle<Result<(), OutputError>>>,
}

impl Writer {
    /// Starts to write what is [`offered`](Self::offer) to `output`.
    ///
    /// # Errors
    /// If there can be no thread.
    pub fn new(output: Output) -> Result<Self, OutputError> {
        let (results, inbox) = channel();
        let ours = output.clone();
        let thread = output.named(spawn_thread(move || write_all(&ours, &inbox)))?;
        Ok(Self { results: Some(results), thread: Some(thread) })
    }

    /// Hands over a new result; older ones that are not yet written are forgotten.
    pub fn offer(&self, result: Arc<[u8]>) {
        // The thread only ends before us when it panicked, which `finish` passes on.
        let _ = self.results.as_ref().map(|results| results.send(result));
    }

    /// Waits until the last result is written.
    ///
    /// # Errors
    /// If the last result could not be written; errors before that don't matter any more.
    ///
    /// # Panics
    /// If the writing thread did.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.end().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn end(&mut self) -> std::thread::Result<Result<(), OutputError>> {
        self.results = None;
        self.thread.take().map_or(Ok(Ok(())), JoinHandle::join)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Whoever wants to know how it ended calls `finish`.
        let _ = self.end();
    }
}

fn write_all(output: &Output, inbox: &Receiver<Arc<[u8]>>) -> Result<(), OutputError> {
    let (mut last, mut next) = (Ok(()), Instant::now());
    while let Ok(mut newest) = inbox.recv() {
        // Better ones may come until it is time.
        while let Ok(better) = inbox.recv_timeout(next.saturating_duration_since(Instant::now())) {
            newest = better;
        }
        last = output.write(&newest);
        next = Instant::now() + PAUSE;
    }
    last
}

/// Puts a result that could not be written where it should be into a directory for temporary
/// files.
///
/// # Errors
/// If there is no space either.
pub fn rescue(name: &Path, text: &[u8]) -> io::Result<PathBuf> {
    const PREFIX: &str = "minirepro-rescued-";
    let mut suffix = OsString::new();
    if let Some(name) = name.file_name() {
        suffix.push("-");
        suffix.push(shortened(name, PREFIX.len() + 16));
    }
    let file = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(&suffix)
        .make(|path| files::create_new(path, 0o600))?;
    files::write_at(file.as_file(), text, 0)?;
    files::sync(file.as_file())?;
    Ok(file.keep().map_err(|error| error.error)?.1)
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
        let writer = Writer::new(Output::new(&out, &input)).unwrap();
        (0..100).for_each(|i| writer.offer(format!("result {i}").into_bytes().into()));
        writer.finish().unwrap();
        assert_eq!(fs::read_to_string(&out).unwrap(), "result 99");
        assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o750);
        assert_eq!(fs::read_to_string(&input).unwrap(), "original");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2, "no temporary file stays");
    }

    #[test]
    fn a_writer_that_is_dropped_has_written_all() {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("a.c");
        let writer = Writer::new(Output::new(&out, &out)).unwrap();
        (0..100).for_each(|i| writer.offer(format!("result {i}").into_bytes().into()));
        drop(writer);
        assert_eq!(fs::read_to_string(&out).unwrap(), "result 99");
    }

    #[test]
    fn what_somebody_has_made_of_a_result_is_kept() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let out = Output::new(&at("a.c"), Path::new("a.c"));
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();
        fs::write(at("a.c"), "of an earlier run").unwrap();
        out.write(b"long result").unwrap();
        fs::set_permissions(at("a.c"), Permissions::from_mode(0o600)).unwrap();
        out.write(b"result").unwrap();
        assert_eq!(out.kept(), [] as [PathBuf; 0], "nobody has changed it");
        fs::write(at("a.c"), "rESULT").unwrap();
        out.clone().write(b"less").unwrap();
        // As editors do that write another file and rename it.
        fs::write(at("other"), "replaced").unwrap();
        fs::rename(at("other"), at("a.c")).unwrap();
        out.write(b"even").unwrap();
        assert_eq!(out.kept(), [at("a.c.edited"), at("a.c.edited2")]);
        assert_eq!(["a.c.edited", "a.c.edited2", "a.c"].map(read), ["rESULT", "replaced", "even"]);
        fs::remove_file(at("a.c")).unwrap();
        out.write(b"x").unwrap();
        assert_eq!((out.kept().len(), read("a.c")), (2, "x".to_owned()), "removed, not changed");
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
        let made = [&dead, &alive, &other].map(|path| File::create(path).unwrap());
        files::lock(&made[1]).unwrap();
        out.clean();
        assert_eq!([dead, alive, other].map(|path| path.exists()), [false, true, true]);
        assert!(!killed.exists() && workshop.path().exists());
    }

    #[test]
    fn a_name_of_255_bytes_is_written_and_cleaned() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x".repeat(255));
        let output = Output::new(&path, Path::new("a.c"));
        output.check().unwrap();
        output.write(b"x").unwrap();
        drop(output.workshop().unwrap());
        output.clean();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
        let rescued = rescue(&path, b"y").unwrap();
        assert_eq!(fs::read(&rescued).unwrap(), b"y");
        fs::remove_file(rescued).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let place = tempfile::tempdir().unwrap();
        let check = |name: &str| Output::new(&place.path().join(name), Path::new("a")).check();
        check("new").unwrap();
        assert_eq!(check("missing/new").unwrap_err().error.kind(), io::ErrorKind::NotFound);
        assert!(check(".").is_err(), "a directory");
        fs::write(place.path().join("file"), "x").unwrap();
        check("file").unwrap();
        assert!(check("file/new").is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is written");
    }

    #[test]
    fn a_failed_write_leaves_the_old_result_alone_and_is_told() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, "x").unwrap();
        let below = Output::new(&file.join("out.c"), &file);
        assert!(below.write(b"y").unwrap_err().to_string().contains("file/out.c"));
        assert!(Output::new(place.path(), &file).write(b"y").is_err());
        let writer = Writer::new(below).unwrap();
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
