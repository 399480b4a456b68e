//! Candidates on disk before they are wanted, so that a test need not wait for a megabyte to be
//! written.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::system::files;

/// A directory of files that may become candidates of tests.
#[derive(Debug)]
pub(crate) struct Ahead {
    directory: PathBuf,
    made: AtomicU64,
    /// The oldest first.
    files: Mutex<Vec<Written>>,
}

/// One candidate for either answer, and the one of a test that is just being started.
const MOST: usize = 3;

/// A file that is ready.
#[derive(Debug)]
struct Written {
    candidate: Arc<[u8]>,
    path: PathBuf,
    /// Open for reading.
    file: File,
}

impl Ahead {
    /// Returns an empty store; `directory` is made together with the first file.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, made: AtomicU64::new(0), files: Mutex::default() }
    }

    /// Writes these candidates to the disk. One that cannot be written is left out: the test that
    /// needs it writes it again and reports the error.
    pub fn prepare(&self, candidates: &[Arc<[u8]>], executable: bool) {
        let mut written = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        for candidate in candidates {
            if written.iter().any(|known| is_same(candidate, &known.candidate)) {
                continue;
            }
            let number = self.made.fetch_add(1, Ordering::Relaxed);
            let path = self.directory.join(number.to_string());
            match self.write(&path, candidate, executable) {
                Ok(file) => written.push(Written { candidate: Arc::clone(candidate), path, file }),
                Err(_) => drop(files::remove_file(&path)),
            }
        }
        let surplus = written.len().saturating_sub(MOST);
        for old in written.drain(..surplus) {
            // A file that cannot be removed goes with the directory.
            let _ = files::remove_file(&old.path);
        }
    }

    /// Moves the file with this candidate, if there is one, and returns it open for reading.
    pub fn take(&self, candidate: &[u8], to: &Path) -> Option<File> {
        let mut written = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let at = written.iter().position(|known| is_same(candidate, &known.candidate))?;
        let Written { path, file, .. } = written.remove(at);
        files::rename(&path, to).ok().map(|()| file)
    }

    fn write(&self, path: &Path, text: &[u8], executable: bool) -> io::Result<File> {
        write(path, text, executable).or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            files::create_private_directory(&self.directory)?;
            write(path, text, executable)
        })
    }
}

/// Writes a new file and opens it for reading.
///
/// # Errors
/// If it cannot be written, for instance because the disk is full.
pub(crate) fn write(path: &Path, text: &[u8], executable: bool) -> io::Result<File> {
    let mode = if executable { 0o755 } else { 0o644 };
    let file = files::create_new(path, mode)?;
    files::write_at(&file, text, 0)?;
    drop(file);
    files::open(path)
}

/// Compares two candidates, which are mostly the same bytes in memory too.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    std::ptr::eq(a, b) || a == b
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_is_ready_is_moved_and_old_ones_go() {
        let place = tempfile::tempdir().unwrap();
        let ahead = Ahead::new(place.path().join("next"));
        let texts: Vec<Arc<[u8]>> = ["a", "b", "c", "d"].map(|t| Arc::from(t.as_bytes())).into();
        ahead.prepare(&texts[..2], false);
        ahead.prepare(&texts[1..], true);
        let files = fs::read_dir(place.path().join("next")).unwrap();
        assert_eq!(files.count(), MOST, "written once each, the oldest removed");
        let to = place.path().join("candidate");
        assert!(ahead.take(b"a", &to).is_none() && ahead.take(b"x", &to).is_none());
        for text in &texts[1..] {
            let file = ahead.take(text, &to).unwrap();
            assert_eq!(io::read_to_string(file).unwrap().as_bytes(), &**text);
            assert_eq!(fs::read(&to).unwrap(), **text);
        }
        assert!(ahead.take(b"d", &to).is_none(), "moved only once");
    }

    #[test]
    fn what_cannot_be_written_is_not_there() {
        let place = tempfile::tempdir().unwrap();
        let ahead = Ahead::new(place.path().join("missing/next"));
        ahead.prepare(&[Arc::from(&b"a"[..])], false);
        assert!(ahead.take(b"a", &place.path().join("candidate")).is_none());
    }
}
