//! Scratch directories: one root per run, an empty directory per test, none left behind, also
//! not those of runs that were killed. Knows no oracle.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use crate::ahead::{Ahead, write};
use crate::checkout::Checkout;

/// How the names of roots begin that are in use.
const PREFIX: &str = "minirepro-run-";
/// How they begin for the moment before they are locked.
const NEW: &str = "minirepro-new-";
/// The file in a root that its run holds locked. The kernel lets go of the lock when the run
/// dies in whatever way, and a process id that was used again cannot fool it.
const LOCK: &str = "lock";

/// At most so many removed candidates stay open, and one more.
const REMOVED: usize = 8;

/// A candidate that stays in a directory for the next one: its name, and what was written.
type Kept = (OsString, Checkout);

/// The scratch directory of one run.
#[derive(Debug)]
pub struct Scratch {
    root: PathBuf,
    made: AtomicU64,
    /// Directories of earlier tests, empty but for a candidate that is a directory itself: to remove one
    /// and make it again costs some file systems many milliseconds.
    used: Mutex<Vec<(PathBuf, Option<Kept>)>>,
    /// Candidates that are removed, but still open: the system frees a file's space when it is closed, which
    /// takes a while for a large one.
    removed: Mutex<Vec<File>>,
    ahead: Ahead,
    _lock: File,
}

impl Scratch {
    /// Makes a root in `parent` (mostly the system's directory for temporary files).
    ///
    /// # Errors
    /// When `parent` cannot be written to.
    pub fn new(parent: &Path) -> io::Result<Self> {
        // The lock comes before the name, so that nobody takes the new root for an abandoned one.
        let fresh = tempfile::Builder::new().prefix(NEW).tempdir_in(parent)?;
        let lock = File::create(fresh.path().join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let name = fresh.path().file_name().and_then(OsStr::to_str).unwrap_or_default();
        let root = parent.join(format!("{PREFIX}{}", name.trim_start_matches(NEW)));
        fs::rename(fresh.path(), &root)?;
        let _gone = fresh.keep();
        let ahead = Ahead::new(root.join("next"));
        Ok(Self {
            root,
            ahead,
            made: AtomicU64::new(0),
            used: Mutex::default(),
            removed: Mutex::default(),
            _lock: lock,
        })
    }

    /// The root.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// An empty directory for one test.
    ///
    /// # Errors
    /// When it cannot be made, for instance because the disk is full.
    pub fn fresh(&self) -> io::Result<TestDirectory<'_>> {
        if let Some((path, kept)) = self.used().pop() {
            let (kept, candidate) = (Mutex::new(kept), Mutex::default());
            return Ok(TestDirectory { scratch: self, path, kept, candidate });
        }
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        // Always the same length: paths find their way into what compilers write.
        let path = self.root.join(format!("{number:08}"));
        let (kept, candidate) = (Mutex::default(), Mutex::default());
        let directory = TestDirectory { scratch: self, path, kept, candidate };
        DirBuilder::new().mode(0o700).create(&directory.path)?;
        fs::create_dir(directory.work())?;
        fs::create_dir(directory.tmp())?;
        Ok(directory)
    }

    /// While tests run: frees the space of what was removed, and writes files that may be the next to be
    /// [`put`](TestDirectory::put) somewhere.
    pub fn prepare(&self, candidates: &[Arc<[u8]>], executable: bool) {
        let removed = std::mem::take(&mut *self.removed());
        drop(removed);
        self.ahead.prepare(candidates, executable);
    }

    fn removed(&self) -> MutexGuard<'_, Vec<File>> {
        self.removed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> MutexGuard<'_, Vec<(PathBuf, Option<Kept>)>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_root(&self.root);
    }
}

/// The place of one test. What the test put there is removed when this is dropped.
#[derive(Debug)]
pub struct TestDirectory<'a> {
    scratch: &'a Scratch,
    path: PathBuf,
    kept: Mutex<Option<Kept>>,
    /// The file that was put there.
    candidate: Mutex<Option<File>>,
}

impl TestDirectory<'_> {
    /// All of it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the test runs; holds nothing but what was [`put`](Self::put) there.
    pub fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// Where the test may put temporary files.
    pub fn tmp(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// Writes a file into the working directory and opens it for reading.
    ///
    /// # Errors
    /// When it cannot be written, for instance because the disk is full.
    pub fn put(&self, name: &OsStr, text: &[u8], executable: bool) -> io::Result<File> {
        let path = self.work().join(name);
        let file = match self.scratch.ahead.take(text, &path) {
            Some(file) => file,
            None => write(&path, text, executable)?,
        };
        *self.candidate.lock().unwrap_or_else(PoisonError::into_inner) = Some(file.try_clone()?);
        Ok(file)
    }

    /// Makes an archive a directory of this name in the working directory. What is still there of an
    /// earlier candidate, and right, is used again.
    ///
    /// # Errors
    /// When it cannot be written, for instance because the disk is full.
    pub fn check_out(&self, name: &OsStr, archive: &[u8]) -> io::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, mut checkout) = kept.take().unwrap_or_default();
        let directory = self.work().join(name);
        if checkout.update(archive, &directory).is_err() {
            // Whatever a test has done to it.
            remove(&directory);
            checkout = Checkout::default();
            checkout.update(archive, &directory)?;
        }
        *kept = Some((name.to_owned(), checkout));
        Ok(())
    }
}

impl Drop for TestDirectory<'_> {
    fn drop(&mut self) {
        let path = std::mem::take(&mut self.path);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let stays = kept.as_ref().map(|(name, _)| &**name);
        if clear(&path.join("work"), stays).is_ok() && clear(&path.join("tmp"), None).is_ok() {
            self.scratch.used().push((path, kept));
            let candidate = self.candidate.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut removed = self.scratch.removed();
            // Where nothing is ever prepared, they must not pile up.
            removed.truncate(REMOVED);
            removed.extend(candidate);
        } else {
            remove(&path);
        }
    }
}

/// Removes all but `stays` that is in a directory that nobody else has replaced or locked.
fn clear(directory: &Path, stays: Option<&OsStr>) -> io::Result<()> {
    let data = fs::symlink_metadata(directory)?;
    if !data.is_dir() || data.permissions().mode() & 0o700 != 0o700 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if stays == Some(&*entry.file_name()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes the roots in `parent` whose runs are dead, after `first` has seen the root's name.
/// Whatever is not ours, or cannot be removed, stays.
pub fn remove_abandoned(parent: &Path, first: impl Fn(&str)) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let half_made = name.starts_with(NEW) && entry.metadata().is_ok_and(|data| is_old(&data));
        if !name.starts_with(PREFIX) && !half_made {
            continue;
        }
        let ours = entry
            .path()
            .symlink_metadata()
            .is_ok_and(|data| data.is_dir() && data.uid() == rustix::process::geteuid().as_raw());
        if ours && half_made {
            remove(&entry.path());
        }
        let Some(lock) = ours.then(|| File::open(entry.path().join(LOCK)).ok()).flatten() else {
            // Who removed it was killed between the lock and the directory, which is empty then.
            let _ = ours.then(|| fs::remove_dir(entry.path()));
            continue;
        };
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            first(name);
            remove_root(&entry.path());
        }
    }
}

/// Nobody needs a minute to lock what he has made.
fn is_old(data: &fs::Metadata) -> bool {
    data.modified().is_ok_and(|then| then.elapsed().is_ok_and(|age| age > Duration::from_secs(60)))
}

/// Removes a root, the lock last: who is killed meanwhile must leave a root that others remove.
fn remove_root(root: &Path) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_name() != LOCK {
            remove(&entry.path());
        }
    }
    let _ = fs::remove_file(root.join(LOCK));
    let _ = fs::remove_dir(root);
}

/// Removes a directory with all that is in it, also what was made read-only.
fn remove(path: &Path) {
    if fs::remove_dir_all(path).is_err() {
        make_writable(path);
        // What still resists is left to a later run.
        let _ = fs::remove_dir_all(path);
    }
}

fn make_writable(top: &Path) {
    let mut open = vec![top.to_owned()];
    while let Some(path) = open.pop() {
        let _ = fs::set_permissions(&path, Permissions::from_mode(0o700));
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        open.extend(entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_test_sees_only_its_candidate_and_nothing_stays() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(parent.path()).unwrap();
        let test = scratch.fresh().unwrap();
        test.put(OsStr::new("a.c"), b"x", false).unwrap();
        assert_eq!(names(&test.work()), ["a.c"]);
        let locked = test.tmp().join("read-only");
        fs::create_dir(&locked).unwrap();
        fs::write(locked.join("file"), "x").unwrap();
        fs::set_permissions(&locked, Permissions::from_mode(0o500)).unwrap();
        drop(test);
        let next = scratch.fresh().unwrap();
        assert_eq!([names(&next.work()), names(&next.tmp())], [[""; 0], [""; 0]]);
        drop(next);
        drop(scratch);
        assert_eq!(names(parent.path()), [""; 0]);
    }

    #[test]
    fn only_roots_of_dead_runs_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let alive = Scratch::new(parent.path()).unwrap();
        let dead = parent.path().join("minirepro-run-dead");
        fs::create_dir_all(dead.join("00000001/work")).unwrap();
        fs::write(dead.join(LOCK), "").unwrap();
        fs::create_dir(parent.path().join("minirepro-run-empty")).unwrap();
        fs::create_dir_all(parent.path().join("minirepro-run-no-lock/of-another")).unwrap();
        fs::create_dir(parent.path().join("another")).unwrap();
        remove_abandoned(parent.path(), |name| assert_eq!(name, "minirepro-run-dead"));
        let alive = alive.path().file_name().unwrap().to_str().unwrap().to_owned();
        let mut expected = vec!["another".to_owned(), alive, "minirepro-run-no-lock".to_owned()];
        expected.sort();
        assert_eq!(names(parent.path()), expected);
    }
}
