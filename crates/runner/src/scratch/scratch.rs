//! Scratch directories: one root per run, an empty directory per test, none left behind, also
//! not those of runs that were killed.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::process::cancel::CancelToken;
use crate::scratch::checkout::Checkout;
use crate::scratch::private::PrivateCopies;
use crate::system::{files, lock};

/// The beginning of the names of roots that are in use.
pub(crate) const PREFIX: &str = "minirepro-scratch-";
/// The beginning of their names for the moment before they are locked.
const NEW: &str = "minirepro-new-";

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
    /// The root, locked. The kernel releases the lock however the run dies, and unlike a process id
    /// it cannot be taken for that of another run.
    _lock: File,
}

impl Scratch {
    /// Makes a root in `parent` (mostly the system's directory for temporary files).
    ///
    /// # Errors
    /// If `parent` cannot be written to.
    pub fn new(parent: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        let fresh = builder.prefix(NEW).make_in(parent, files::create_private_directory)?;
        let fresh = fresh.into_temp_path().keep()?;
        let name = fresh.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let root = parent.join(format!("{PREFIX}{}", name.trim_start_matches(NEW)));
        // The lock comes before the name, so that nobody takes the new root for an abandoned one.
        let named = files::open(&fresh).and_then(|held| {
            files::lock(&held)?;
            files::rename(&fresh, &root)?;
            Ok(held)
        });
        let _lock = named.inspect_err(|_| drop(fs::remove_dir(&fresh)))?;
        let private = PrivateCopies::new(root.join("private"));
        Ok(Self { root, private, made: AtomicU64::new(0), used: Mutex::default(), _lock })
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
        if let Some((path, kept)) = lock(&self.used).pop() {
            return Ok(TestDirectory { scratch: self, path, kept: Mutex::new(kept) });
        }
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        // Always the same length: paths find their way into what compilers write.
        let path = self.root.join(format!("{number:08}"));
        let directory = TestDirectory { scratch: self, path, kept: Mutex::default() };
        files::create_directory(&directory.path)?;
        files::create_directory(&directory.work())?;
        files::create_directory(&directory.tmp())?;
        Ok(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by a later run.
        let _ = files::remove(&self.root);
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
        let mut kept = lock(&self.kept);
        let (_, mut checkout) = kept.take().unwrap_or_default();
        let directory = self.work().join(name);
        let private = &self.scratch.private;
        if checkout.update(archive, &directory, private, stop).is_err() {
            // A test has spoilt it.
            let _ = files::remove(&directory);
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
        let kept = lock(&self.kept).take();
        let candidate: Vec<&OsStr> = kept.iter().map(|(name, _)| &**name).collect();
        let cleared = clear(&path.join("work"), &candidate)
            .and_then(|()| clear(&path.join("tmp"), &[]))
            .and_then(|()| clear(&path, &["work".as_ref(), "tmp".as_ref()]));
        match cleared {
            Ok(()) => lock(&self.scratch.used).push((path, kept)),
            // What cannot be removed now goes with the root.
            Err(_) => drop(files::remove(&path)),
        }
    }
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
        if !stay.contains(&&*entry.file_name()) {
            files::remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes the roots in `parent` whose runs are dead.
pub fn remove_abandoned(parent: &Path) {
    files::remove_abandoned(parent, OsStr::new(PREFIX));
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
        let dead = parent.path().join("minirepro-scratch-dead");
        fs::create_dir_all(dead.join("00000001/work")).unwrap();
        fs::write(dead.join("core.17"), "").unwrap();
        fs::create_dir(parent.path().join("another")).unwrap();
        remove_abandoned(parent.path());
        let alive = alive.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(names(parent.path()), ["another".to_owned(), alive]);
    }
}
