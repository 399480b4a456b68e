//! Scratch directories: one root per run, an empty directory per test, none left behind, also
//! not those of runs that were killed.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::process::cancel::CancelToken;
use crate::scratch::checkout::Checkout;
use crate::scratch::private::PrivateCopies;
use crate::system::files;

/// The beginning of the names of roots that are in use.
pub(crate) const PREFIX: &str = "minirepro-run-";
/// The beginning of their names for the moment before they are locked.
const NEW: &str = "minirepro-new-";
/// The file in a root that its run holds locked. The kernel releases the lock however the run dies,
/// and unlike a process id it cannot be taken for that of another run.
const LOCK: &str = "lock";

/// A candidate that stays in a directory for the next one: its name and its files.
type Kept = (OsString, Checkout);

/// The scratch directory of one run.
#[derive(Debug)]
pub struct Scratch {
    root: PathBuf,
    made: AtomicU64,
    /// Directories of earlier tests, empty except for a candidate that is a directory itself: to
    /// remove one and make it again costs some file systems many milliseconds.
    used: Mutex<Vec<(PathBuf, Option<Kept>)>>,
    /// Where links of candidates lead.
    pub(crate) private: PrivateCopies,
    _lock: File,
}

impl Scratch {
    /// Makes a root in `parent` (mostly the system's directory for temporary files).
    ///
    /// # Errors
    /// If `parent` cannot be written to.
    pub fn new(parent: &Path) -> io::Result<Self> {
        // The lock comes before the name, so that nobody takes the new root for an abandoned one.
        let fresh = files::create_named_directory(parent, OsStr::new(NEW))?;
        let (lock, root) = named(parent, &fresh).inspect_err(|_| remove_root(&fresh))?;
        let private = PrivateCopies::new(root.join("private"));
        Ok(Self { root, private, made: AtomicU64::new(0), used: Mutex::default(), _lock: lock })
    }

    /// Returns the root.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Returns an empty directory for one test.
    ///
    /// # Errors
    /// If it cannot be made, for instance because the disk is full.
    pub fn fresh(&self) -> io::Result<TestDirectory<'_>> {
        if let Some((path, kept)) = self.used().pop() {
            return Ok(TestDirectory { scratch: self, path, kept: Mutex::new(kept) });
        }
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        // Always the same length: paths find their way into what compilers write.
        let path = self.root.join(format!("{number:08}"));
        let directory = TestDirectory { scratch: self, path, kept: Mutex::default() };
        files::create_private_directory(&directory.path)?;
        files::create_directory(&directory.work())?;
        files::create_directory(&directory.tmp())?;
        Ok(directory)
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

/// The place of one test. Files that the test made there are removed when this is dropped.
#[derive(Debug)]
pub struct TestDirectory<'a> {
    scratch: &'a Scratch,
    path: PathBuf,
    kept: Mutex<Option<Kept>>,
}

impl TestDirectory<'_> {
    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory in which the test runs; it holds only what was [`put`](Self::put)
    /// there.
    pub fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// Returns the directory for the test's temporary files.
    pub fn tmp(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// Writes a file into the working directory and opens it for reading.
    ///
    /// # Errors
    /// If it cannot be written, for instance because the disk is full.
    pub fn put(&self, name: &OsStr, text: &[u8], executable: bool) -> io::Result<File> {
        let path = self.work().join(name);
        let mode = if executable { 0o755 } else { 0o644 };
        files::write_at(&files::create_new(&path, mode)?, text, 0)?;
        files::open(&path)
    }

    /// Turns an archive into a directory of this name in the working directory. Files of an earlier
    /// candidate that are still right are used again.
    ///
    /// # Errors
    /// If it cannot be written, for instance because the disk is full, or `stop` is set.
    pub fn check_out(&self, name: &OsStr, archive: &[u8], stop: &CancelToken) -> io::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, mut checkout) = kept.take().unwrap_or_default();
        let directory = self.work().join(name);
        let private = &self.scratch.private;
        if checkout.update(archive, &directory, private, stop).is_err() {
            // A test has spoilt it.
            remove(&directory);
            checkout = Checkout::default();
            checkout.update(archive, &directory, private, stop)?;
        }
        *kept = Some((name.to_owned(), checkout));
        Ok(())
    }
}

impl Drop for TestDirectory<'_> {
    fn drop(&mut self) {
        let path = std::mem::take(&mut self.path);
        self.scratch.private.mend(false);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let stays: Vec<&OsStr> = kept.iter().map(|(name, _)| &**name).collect();
        let is_clear = clear(&path.join("work"), &stays).is_ok()
            && clear(&path.join("tmp"), &[]).is_ok()
            && clear(&path, &["work".as_ref(), "tmp".as_ref()]).is_ok();
        if is_clear {
            self.scratch.used().push((path, kept));
        } else {
            remove(&path);
        }
    }
}

/// Locks a new root and gives it its name.
fn named(parent: &Path, fresh: &Path) -> io::Result<(File, PathBuf)> {
    let lock = files::create_new(&fresh.join(LOCK), 0o600)?;
    files::lock(&lock)?;
    let name = fresh.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let root = parent.join(format!("{PREFIX}{}", name.trim_start_matches(NEW)));
    files::rename(fresh, &root)?;
    Ok((lock, root))
}

/// Removes everything from a directory but what has these names, unless a test has replaced it or
/// locked it.
///
/// # Errors
/// If it was replaced or locked, or something cannot be removed.
fn clear(directory: &Path, stay: &[&OsStr]) -> io::Result<()> {
    let data = fs::symlink_metadata(directory)?;
    if !data.is_dir() || data.permissions().mode() & 0o700 != 0o700 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    for entry in files::read_directory(directory)? {
        let entry = entry?;
        if stay.contains(&&*entry.file_name()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            files::remove_tree(&entry.path())?;
        } else {
            files::remove_file(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes the roots in `parent` whose runs are dead, after `first` has seen the root's name.
/// Anything that is not ours or cannot be removed stays.
pub fn remove_abandoned(parent: &Path, first: impl Fn(&str)) {
    let Ok(entries) = files::read_directory(parent) else { return };
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
            // The run that removed it was killed between the lock and the directory, which is empty
            // then.
            let _ = ours.then(|| fs::remove_dir(entry.path()));
            continue;
        };
        if files::lock(&lock).is_ok() {
            first(name);
            remove_root(&entry.path());
        }
    }
}

/// Returns whether a root is too old to be waiting for its lock, which takes no minute.
fn is_old(data: &fs::Metadata) -> bool {
    data.modified().is_ok_and(|then| then.elapsed().is_ok_and(|age| age > Duration::from_secs(60)))
}

/// Removes a root, the lock last: a run that is killed meanwhile, or cannot remove all, must leave
/// a root that others remove.
fn remove_root(root: &Path) {
    // A test may have changed that.
    let _ = files::make_directory_writable(root);
    let mut is_empty = true;
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_name() != LOCK {
            remove(&entry.path());
            is_empty &= entry.path().symlink_metadata().is_err();
        }
    }
    if is_empty {
        let _ = fs::remove_file(root.join(LOCK));
        let _ = fs::remove_dir(root);
    }
}

/// Removes a file, or a directory with everything in it, also if a test made some of it read-only.
fn remove(path: &Path) {
    let is_directory = path.symlink_metadata().is_ok_and(|data| data.is_dir());
    if !is_directory {
        let _ = fs::remove_file(path);
    } else if fs::remove_dir_all(path).is_err() {
        make_writable(path);
        // A later run removes the rest.
        let _ = fs::remove_dir_all(path);
    }
}

/// Gives the user the right to remove everything below a directory; links are left alone.
fn make_writable(top: &Path) {
    let mut open = vec![top.to_owned()];
    while let Some(path) = open.pop() {
        let _ = files::make_directory_writable(&path);
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        open.extend(entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;

    use super::*;

    #[test]
    fn only_the_user_can_enter_and_no_link_is_followed() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(parent.path()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(scratch.path()), 0o700);
        let outside = parent.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::set_permissions(&outside, Permissions::from_mode(0o550)).unwrap();
        let test = scratch.fresh().unwrap();
        let work = test.work();
        fs::remove_dir(&work).unwrap();
        std::os::unix::fs::symlink(&outside, &work).unwrap();
        make_writable(test.path());
        make_writable(&work);
        drop(test);
        assert_eq!(mode(&outside), 0o550);
    }

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
    fn what_a_test_writes_above_its_directory_goes_as_well() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(parent.path()).unwrap();
        let root = scratch.path().to_owned();
        let test = scratch.fresh().unwrap();
        let beside = test.path().to_owned();
        fs::write(beside.join("core"), "x").unwrap();
        fs::create_dir(beside.join("more")).unwrap();
        fs::write(root.join("core"), "x").unwrap();
        std::os::unix::fs::symlink("/nowhere", root.join("link")).unwrap();
        drop(test);
        let next = scratch.fresh().unwrap();
        assert_eq!(next.path(), beside);
        assert_eq!(names(next.path()), ["tmp", "work"]);
        drop(next);
        fs::set_permissions(&root, Permissions::from_mode(0o500)).unwrap();
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
        fs::write(dead.join("core.17"), "").unwrap();
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
