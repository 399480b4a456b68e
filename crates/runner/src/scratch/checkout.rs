//! An archive as a directory of files: made anew, or out of the one of an earlier test, of which
//! most files are mostly still right.
//!
//! A file is taken to be as it was written if the kernel's own record of it is: its number, size,
//! permissions, and the times of its last change, of which no program can set the second one
//! (ctime). A file that was written so shortly before a test that the clock of the file system may
//! not have moved on in between is written again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use minirepro_engine::archive::{Entry, Kind, entries};
use xxhash_rust::xxh3::xxh3_128;

use crate::process::cancel::CancelToken;
use crate::scratch::private::PrivateCopies;
use crate::system::files;

/// File systems may tell times as coarse as this from each other.
const TICK: Duration = Duration::from_millis(50);

/// The files that were written into a directory.
#[derive(Debug, Default)]
pub(crate) struct Checkout {
    /// With the hash of what was written, as they were left.
    files: BTreeMap<PathBuf, (u128, State)>,
    /// The time at which the last file was written.
    done: Duration,
}

/// The kernel's record of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    device_and_number: (u64, u64),
    size: u64,
    mode: u32,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl State {
    pub fn of(data: &Metadata) -> Self {
        Self {
            device_and_number: (data.dev(), data.ino()),
            size: data.size(),
            mode: data.mode(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }

    /// Returns whether a change after `time` would show.
    fn is_older_than(&self, time: Duration) -> bool {
        let (seconds, nanos) = self.changed;
        let changed = u64::try_from(seconds).ok().zip(u32::try_from(nanos).ok());
        changed.is_some_and(|(seconds, nanos)| Duration::new(seconds, nanos) + TICK < time)
    }
}

impl Checkout {
    /// Makes `directory` hold the files of an archive and nothing else. Files that an earlier call
    /// wrote stay if nobody has touched them. Links lead to `private` copies, if there are any. A
    /// million files take minutes, so this looks at `stop`.
    ///
    /// # Errors
    /// If a file cannot be written, its path leads out of the directory, or `stop` is set.
    pub(crate) fn update(
        &mut self,
        archive: &[u8],
        directory: &Path,
        private: &PrivateCopies,
        stop: &CancelToken,
    ) -> io::Result<()> {
        let wanted = wanted(archive)?;
        self.clean(directory, &wanted)?;
        for (path, entry) in &wanted {
            if self.files.contains_key(path) {
                continue;
            }
            if stop.is_set() {
                return Err(io::Error::other("it was stopped"));
            }
            let place = directory.join(path);
            write(entry, &place, |target| private.instead_of(target, stop))?;
            let state = State::of(&fs::symlink_metadata(&place)?);
            self.files.insert(path.clone(), (hash(entry), state));
        }
        self.done = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(())
    }

    /// Removes everything that is not as it should be, and forgets it.
    fn clean(&mut self, directory: &Path, wanted: &BTreeMap<PathBuf, Entry<'_>>) -> io::Result<()> {
        let known = std::mem::take(&mut self.files);
        if !fs::symlink_metadata(directory).is_ok_and(|data| data.is_dir()) {
            let _nothing_there = fs::remove_file(directory);
            return files::create_directory(directory);
        }
        let directories: BTreeSet<&Path> =
            wanted.keys().flat_map(|path| path.ancestors().skip(1)).collect();
        for entry in files::all_below(directory) {
            let (path, data) = entry?;
            if data.is_dir() && directories.contains(&*path) {
                continue;
            }
            match known.get(&path).zip(wanted.get(&path)) {
                Some(((old, state), entry))
                    if *state == State::of(&data)
                        && state.is_older_than(self.done)
                        && *old == hash(entry) =>
                {
                    self.files.insert(path, (*old, *state));
                }
                _ => files::remove(&directory.join(&path))?,
            }
        }
        Ok(())
    }
}

/// Writes the files of an archive into a new directory.
///
/// # Errors
/// If a file cannot be written, or its path leads out of the directory.
pub fn unpack(archive: &[u8], directory: &Path) -> io::Result<()> {
    files::create_directory(directory)?;
    let as_it_is = |target: &Path| Ok(target.to_owned());
    wanted(archive)?
        .iter()
        .try_for_each(|(path, entry)| write(entry, &directory.join(path), as_it_is))
}

/// Returns the files of an archive by their paths below the directory. None is below a link, which
/// would lead it elsewhere: archives also come from other people's journals.
fn wanted(archive: &[u8]) -> io::Result<BTreeMap<PathBuf, Entry<'_>>> {
    let mut wanted: BTreeMap<PathBuf, Entry<'_>> = BTreeMap::new();
    for entry in entries(archive) {
        let path = PathBuf::from(OsStr::from_bytes(entry.path));
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        wanted.insert(path, entry);
    }
    // What is below a path follows it at once.
    let below = wanted.keys().zip(wanted.keys().skip(1)).any(|(p, next)| next.starts_with(p));
    if below { Err(io::ErrorKind::InvalidFilename.into()) } else { Ok(wanted) }
}

fn hash(entry: &Entry<'_>) -> u128 {
    xxh3_128(entry.text).rotate_left(1) ^ entry.kind as u128
}

/// Writes a file, or a link that leads to where `leads` says.
fn write(
    entry: &Entry<'_>,
    place: &Path,
    leads: impl FnOnce(&Path) -> io::Result<PathBuf>,
) -> io::Result<()> {
    files::create_parents(place)?;
    let mode = match entry.kind {
        Kind::Link => {
            let target = leads(Path::new(OsStr::from_bytes(entry.text)))?;
            return files::create_link(&target, place);
        }
        Kind::Plain => 0o666,
        Kind::Executable => 0o777,
    };
    files::write_at(&files::create_new(place, mode)?, entry.text, 0)
}

#[cfg(test)]
mod tests {
    use minirepro_engine::archive::pack;

    use super::*;

    fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        let files = files.iter().map(|(path, text)| {
            let kind = if path.ends_with("link") { Kind::Link } else { Kind::Plain };
            (kind, path.as_bytes(), text.as_bytes())
        });
        pack(files).unwrap()
    }

    /// Returns all files below `top` with their contents.
    fn shown(top: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut open = vec![top.to_owned()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    open.push(path);
                    continue;
                }
                let text = match fs::read_link(&path) {
                    Ok(target) => format!("-> {}", target.display()),
                    Err(_) => fs::read_to_string(&path).unwrap(),
                };
                found.push((path.strip_prefix(top).unwrap().display().to_string(), text));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn whatever_a_test_does_the_next_one_finds_its_candidate() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().join("candidate");
        let (mut checkout, stop) = (Checkout::default(), CancelToken::new().unwrap());
        let private = PrivateCopies::new(place.path().join("private"));
        let old = archive(&[("a", "1"), ("d/b", "2"), ("d/e/c", "3"), ("link", "a"), ("x", "9")]);
        let new =
            archive(&[("a", "1"), ("d/b", "two"), ("d/e/c", "3"), ("link", "d"), ("x/y", "8")]);
        let expected = |archive: &[u8]| {
            let fresh = tempfile::tempdir().unwrap();
            unpack(archive, &fresh.path().join("c")).unwrap();
            shown(&fresh.path().join("c"))
        };
        for candidate in [&old, &old, &new, &old, &new] {
            checkout.update(candidate, &top, &private, &stop).unwrap();
            assert_eq!(shown(&top), expected(candidate));
            // What a test may do: change a file in place with its old time, add, remove, replace.
            let a = top.join("a");
            let time = fs::metadata(&a).unwrap().modified().unwrap();
            fs::write(&a, "X").unwrap();
            fs::File::options().write(true).open(&a).unwrap().set_modified(time).unwrap();
            fs::write(top.join("d/new"), "new").unwrap();
            fs::create_dir_all(top.join("made/deep")).unwrap();
            fs::remove_file(top.join("d/e/c")).unwrap();
            fs::create_dir(top.join("d/e/c")).unwrap();
        }
        fs::remove_dir_all(&top).unwrap();
        checkout.update(&old, &top, &private, &stop).unwrap();
        assert_eq!(shown(&top), expected(&old));
    }

    #[test]
    fn what_nobody_touched_is_not_written_again() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().join("candidate");
        let (mut checkout, stop) = (Checkout::default(), CancelToken::new().unwrap());
        let private = PrivateCopies::new(place.path().join("private"));
        let old = archive(&[("a", "1"), ("b", "2")]);
        checkout.update(&old, &top, &private, &stop).unwrap();
        // As if it had been long ago.
        checkout.done += Duration::from_secs(1);
        let number = |name: &str| fs::metadata(top.join(name)).unwrap().ctime_nsec();
        let before = (number("a"), number("b"));
        checkout.update(&archive(&[("a", "1"), ("b", "3")]), &top, &private, &stop).unwrap();
        assert_eq!(number("a"), before.0);
        assert_ne!(number("b"), before.1);
        stop.set();
        assert!(checkout.update(&old, &top, &private, &stop).is_err());
    }

    #[test]
    fn no_archive_writes_outside_of_its_directory() {
        let place = tempfile::tempdir().unwrap();
        let outside = place.path().join("outside");
        fs::create_dir(&outside).unwrap();
        let absolute = outside.join("x");
        let (mut checkout, stop) = (Checkout::default(), CancelToken::new().unwrap());
        let private = PrivateCopies::new(place.path().join("private"));
        for files in [
            [("a", ""), ("../outside/x", "")],
            [("a", ""), (absolute.to_str().unwrap(), "")],
            [("a", ""), ("d/../../outside/x", "")],
            [("a", ""), ("", "")],
            [("link", "../outside"), ("link/x", "")],
            [("link/x", ""), ("link", "../outside")],
            [("dlink", outside.to_str().unwrap()), ("dlink/e/x", "")],
            [("f", ""), ("f/x", "")],
        ] {
            let made = place.path().join("made");
            assert!(unpack(&archive(&files), &made).is_err(), "{files:?}");
            fs::remove_dir_all(&made).unwrap();
            assert!(
                checkout.update(&archive(&files), &made, &private, &stop).is_err(),
                "{files:?}"
            );
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{files:?}");
        }
    }
}
