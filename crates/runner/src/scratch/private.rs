//! Copies of what tests find beside their candidates, and of what these only link to because it is
//! heavy, such as `node_modules`: made once a run, since a test may write through a link, and
//! mended when one has damaged them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::process::cancel::CancelToken;
use crate::scratch::checkout::State;
use crate::spec::workplace::lexically_normal;
use crate::system::{files, lock};

/// Where systems keep what they share: links may lead there, since nobody works there.
const SHARED: [&str; 10] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/etc", "/dev", "/proc"];

/// Looking for damage everywhere takes no more than one part of this many of the time.
const PAUSE: u32 = 20;

/// Caches in what is installed: whoever changes one damages nothing.
const CACHES: [&str; 2] = ["__pycache__", ".cache"];

/// How many files, those at the top first, are looked at after each test.
const ALWAYS: usize = 200;

/// The private copies of a run.
#[derive(Debug)]
pub(crate) struct PrivateCopies {
    directory: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// The copies by the places of what was copied.
    made: BTreeMap<PathBuf, PathBuf>,
    /// The files in them, those at the top first, as they were left.
    files: Vec<Copied>,
    /// When all of them were looked at, and how long that took.
    looked: Option<(Instant, Duration)>,
    mended: Vec<PathBuf>,
}

#[derive(Debug)]
struct Copied {
    source: PathBuf,
    copy: PathBuf,
    /// Where it leads, if it is a link.
    link: Option<PathBuf>,
    /// The permissions that it does not have.
    without: u32,
    state: State,
}

impl PrivateCopies {
    /// Returns an empty collection, which puts copies below this directory of the run.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, inner: Mutex::default() }
    }

    /// Returns where a link of a candidate leads instead of to this place of the user's.
    ///
    /// # Errors
    /// If a copy cannot be made, or `stop` is set.
    pub fn instead_of(&self, target: &Path, stop: &CancelToken) -> io::Result<PathBuf> {
        let Ok(place) = target.canonicalize() else { return Ok(target.to_owned()) };
        if !target.is_absolute() || is_shared(&place) {
            return Ok(target.to_owned());
        }
        let mut inner = lock(&self.inner);
        let copy = self.place_of(&mut inner.made, &place);
        if !copy.exists() {
            self.fill(&mut inner, (place, copy.clone()), 0, Some(stop))?;
        }
        Ok(copy)
    }

    /// Copies a file or a directory to this place, where nobody may write.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub fn copy(&self, source: &Path, copy: PathBuf) -> io::Result<()> {
        let place = source.canonicalize()?;
        let mut inner = lock(&self.inner);
        inner.made.entry(place.clone()).or_insert_with(|| copy.clone());
        self.fill(&mut inner, (place, copy), 0o222, None)
    }

    /// Returns where the copy of a place is, or will be.
    fn place_of(&self, made: &mut BTreeMap<PathBuf, PathBuf>, place: &Path) -> PathBuf {
        for above in place.ancestors() {
            if let (Some(copy), Ok(below)) = (made.get(above), place.strip_prefix(above)) {
                return if below == Path::new("") { copy.clone() } else { copy.join(below) };
            }
        }
        let name = place.file_name().unwrap_or_default();
        let copy = self.directory.join(made.len().to_string()).join(name);
        made.insert(place.to_owned(), copy.clone());
        copy
    }

    /// Copies a place, and all directories to which links in it lead.
    fn fill(
        &self,
        inner: &mut Inner,
        pair: (PathBuf, PathBuf),
        without: u32,
        stop: Option<&CancelToken>,
    ) -> io::Result<()> {
        let mut open = vec![pair];
        while let Some((source, copy)) = open.pop() {
            files::create_parents(&copy)?;
            let top = (PathBuf::new(), fs::symlink_metadata(&source)?);
            let below = top.1.is_dir().then(|| files::all_below(&source));
            for entry in std::iter::once(Ok(top)).chain(below.into_iter().flatten()) {
                let (path, data) = entry?;
                if stop.is_some_and(CancelToken::is_set) {
                    return Err(io::Error::other("it was stopped"));
                }
                let [mut from, to] = [&source, &copy].map(|top| match path == Path::new("") {
                    true => top.clone(),
                    false => top.join(&path),
                });
                let is_there = fs::symlink_metadata(&to).is_ok();
                if data.is_dir() {
                    files::create_directories(&to)?;
                }
                if is_there || !data.is_file() && !data.is_symlink() {
                    continue;
                }
                let mut link = None;
                if data.is_symlink() {
                    let target = fs::read_link(&from)?;
                    let parent = from.parent().unwrap_or(&source);
                    let stays = target.is_relative()
                        && lexically_normal(&parent.join(&target)).starts_with(&source);
                    let place = from.canonicalize().unwrap_or_else(|_| target.clone());
                    if stays {
                        link = Some(target);
                    } else if place.is_dir() && !is_shared(&place) {
                        let copy = self.place_of(&mut inner.made, &place);
                        open.push((place, copy.clone()));
                        link = Some(copy);
                    } else if is_private_file(&place) {
                        from = place;
                    } else {
                        link = Some(place);
                    }
                }
                let is_cached = to.iter().any(|part| CACHES.iter().any(|name| part == *name));
                let state = State::of(&data);
                let mut copied = Copied { source: from, copy: to, link, without, state };
                copied.write()?;
                if !is_cached {
                    inner.files.push(copied);
                }
            }
        }
        inner.files.sort_by_key(|file| file.copy.components().count());
        Ok(())
    }

    /// Makes good what a test has removed or changed, as far as it shows: at the top at once, and
    /// everywhere from time to time, or if `all` is asked for. What tests have added stays.
    pub fn mend(&self, all: bool) {
        let Inner { made, files, looked, mended } = &mut *lock(&self.inner);
        let is_due = all || looked.is_none_or(|(when, took)| when.elapsed() > took * PAUSE);
        if files.is_empty() || !is_due && !files.iter().take(ALWAYS).any(Copied::is_damaged) {
            return;
        }
        let start = Instant::now();
        for file in files.iter_mut().filter(|file| file.is_damaged()) {
            if file.restore().is_ok()
                && let Some((source, _)) = made.iter().find(|(_, copy)| file.copy.starts_with(copy))
                && !mended.contains(source)
            {
                mended.push(source.clone());
            }
        }
        *looked = Some((Instant::now(), start.elapsed()));
    }

    /// Returns the places whose copies have been mended so far.
    pub fn mended(&self) -> Vec<PathBuf> {
        lock(&self.inner).mended.clone()
    }
}

impl Copied {
    fn is_damaged(&self) -> bool {
        fs::symlink_metadata(&self.copy).map_or(true, |data| State::of(&data) != self.state)
    }

    /// Makes it again.
    fn restore(&mut self) -> io::Result<()> {
        files::create_parents(&self.copy)?;
        if fs::symlink_metadata(&self.copy).is_ok() {
            files::remove(&self.copy)?;
        }
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        if let Some(target) = &self.link {
            files::create_link(target, &self.copy)?;
        } else {
            let data = fs::metadata(&self.source)?;
            let mode = (data.permissions().mode() | 0o200) & !self.without;
            let copy = files::copy_to_new(&self.source, &self.copy, mode)?;
            // What is compiled says how old its source is.
            copy.set_modified(data.modified()?)?;
        }
        self.state = State::of(&fs::symlink_metadata(&self.copy)?);
        Ok(())
    }
}

fn is_shared(place: &Path) -> bool {
    SHARED.iter().any(|shared| place.starts_with(shared))
}

/// Returns whether a link to a file must not stay one: interpreters find their libraries by where
/// they are, and nobody writes into them.
fn is_private_file(place: &Path) -> bool {
    let data = fs::metadata(place);
    !is_shared(place) && data.is_ok_and(|d| d.is_file() && d.permissions().mode() & 0o111 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_test_does_to_a_copy_the_users_own_stays_and_the_copy_is_mended() {
        let place = tempfile::tempdir().unwrap();
        // The directory of temporary files may be a link.
        let place = place.path().canonicalize().unwrap();
        let user = place.join("p/node_modules");
        fs::create_dir_all(user.join("lib/deep")).unwrap();
        fs::create_dir_all(place.join("p/packages/own")).unwrap();
        fs::write(user.join("lib/deep/x.js"), "x").unwrap();
        fs::write(place.join("p/packages/own/y.js"), "y").unwrap();
        std::os::unix::fs::symlink("../packages/own", user.join("own")).unwrap();
        std::os::unix::fs::symlink("lib/deep", user.join("inside")).unwrap();
        let (copies, stop) =
            (PrivateCopies::new(place.join("run/private")), CancelToken::new().unwrap());
        let copy = copies.instead_of(&user, &stop).unwrap();
        assert!(copy.starts_with(place.join("run")) && copy.ends_with("node_modules"));
        let read = |path: &str| fs::read_to_string(copy.join(path)).unwrap_or_default();
        let shown = || ["lib/deep/x.js", "own/y.js", "inside/x.js"].map(read);
        assert_eq!(shown(), ["x", "y", "x"]);
        // Links in it lead to no place of the user's either.
        fs::write(copy.join("own/y.js"), "changed").unwrap();
        fs::write(copy.join("lib/deep/x.js"), "changed").unwrap();
        fs::remove_file(copy.join("inside")).unwrap();
        assert_eq!(fs::read_to_string(place.join("p/packages/own/y.js")).unwrap(), "y");
        copies.mend(true);
        assert_eq!(shown(), ["x", "y", "x"]);
        assert_eq!(copies.mended().len(), 2);
        assert_eq!(copies.instead_of(&user.join("lib"), &stop).unwrap(), copy.join("lib"));
        let shared = Path::new("/usr/bin/env");
        assert_eq!(copies.instead_of(shared, &stop).unwrap(), shared);
    }
}
