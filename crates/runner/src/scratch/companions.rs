//! Files that stand beside the candidate in every test, because it names them or the user says so.
//!
//! They are private copies, made once a run, to which every test gets links: a test must not change
//! what the next one sees.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use minirepro_engine::archive::{Kind, entries};

use crate::scratch::private::PrivateCopies;
use crate::system::files;

/// A file or a directory that every test finds beside its candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// Its place, relative to the candidate's directory; without `..`.
    pub path: PathBuf,
    /// The original.
    pub source: PathBuf,
}

/// The copies that all tests of a run share.
#[derive(Debug)]
pub(crate) struct Companions {
    directory: PathBuf,
    /// The names at the top of the directory.
    names: Vec<OsString>,
}

impl Companions {
    /// Copies `companions` below `root`.
    ///
    /// # Errors
    /// If one of them cannot be read, or a copy cannot be written.
    pub(crate) fn new(
        root: &Path,
        companions: &[Companion],
        private: &PrivateCopies,
    ) -> io::Result<Self> {
        let mut made = Self::empty(root)?;
        for Companion { path, source } in companions {
            let named =
                |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", source.display()));
            private.copy(source, made.place(path)?).map_err(named)?;
        }
        Ok(made)
    }

    /// Writes the files of an archive below `root`, as [`new`](Self::new) would copy them.
    ///
    /// # Errors
    /// If one of them cannot be written, or its path leads elsewhere.
    pub(crate) fn unpacked(root: &Path, archive: &[u8]) -> io::Result<Self> {
        let mut made = Self::empty(root)?;
        for entry in entries(archive) {
            let place = made.place(Path::new(OsStr::from_bytes(entry.path)))?;
            files::create_parents(&place)?;
            let mode = if entry.kind == Kind::Executable { 0o555 } else { 0o444 };
            files::write_at(&files::create_new(&place, mode)?, entry.text, 0)?;
        }
        Ok(made)
    }

    fn empty(root: &Path) -> io::Result<Self> {
        let directory = root.join("beside");
        files::create_directories(&directory)?;
        Ok(Self { directory, names: Vec::new() })
    }

    /// Returns where the copy of something with this path goes.
    ///
    /// # Errors
    /// If the path leads out of the directory.
    fn place(&mut self, path: &Path) -> io::Result<PathBuf> {
        let name = path.iter().next().unwrap_or_default();
        if name.is_empty() || !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
        Ok(self.directory.join(path))
    }

    /// Returns the places of all files relative to the candidate's directory, and where they are.
    ///
    /// # Errors
    /// If a directory cannot be read.
    pub(crate) fn all(&self) -> io::Result<Vec<(PathBuf, PathBuf)>> {
        let entries = files::all_below(&self.directory);
        let files = entries.filter(|entry| !entry.as_ref().is_ok_and(|(_, data)| data.is_dir()));
        files
            .map(|entry| entry.map(|(path, _)| (path.clone(), self.directory.join(path))))
            .collect()
    }

    /// Links them into the working directory of a test, where nothing stands in the way.
    ///
    /// # Errors
    /// If a link cannot be made.
    pub(crate) fn provide(&self, work: &Path) -> io::Result<()> {
        for name in &self.names {
            match files::create_link(&self.directory.join(name), &work.join(name)) {
                // The candidate itself has this name.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                linked => linked?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use minirepro_engine::archive::pack;

    use super::*;

    #[test]
    fn every_test_finds_the_same_files_beside_its_candidate() {
        let place = tempfile::tempdir().unwrap();
        let source = place.path().join("project");
        fs::create_dir_all(source.join("inc/deep")).unwrap();
        fs::write(source.join("inc/deep/a.h"), "a").unwrap();
        fs::write(source.join("b.h"), "b").unwrap();
        let companions = [
            Companion { path: "inc".into(), source: source.join("inc") },
            Companion { path: "b.h".into(), source: source.join("b.h") },
        ];
        let root = place.path().join("root");
        let private = PrivateCopies::new(root.join("private"));
        let companions = Companions::new(&root, &companions, &private).unwrap();
        for test in ["one", "two"] {
            let work = place.path().join(test);
            fs::create_dir(&work).unwrap();
            fs::write(work.join("b.h"), "the candidate").unwrap();
            companions.provide(&work).unwrap();
            assert_eq!(fs::read_to_string(work.join("inc/deep/a.h")).unwrap(), "a");
            assert_eq!(fs::read_to_string(work.join("b.h")).unwrap(), "the candidate");
        }
        let mut all = companions.all().unwrap();
        all.sort();
        assert!(all.iter().map(|(path, _)| path).eq([Path::new("b.h"), Path::new("inc/deep/a.h")]));
        let archive =
            [(Kind::Plain, &b"b.h"[..], &b"b"[..]), (Kind::Executable, b"inc/run", b"#!")];
        let archive = pack(archive).unwrap();
        let sent = Companions::unpacked(&place.path().join("sent"), &archive).unwrap();
        assert_eq!(sent.names, ["b.h", "inc"]);
        let mode = |path: &str| {
            fs::metadata(place.path().join("sent/beside").join(path)).unwrap().permissions().mode()
        };
        assert_eq!([mode("b.h") & 0o777, mode("inc/run") & 0o777], [0o444, 0o555]);
        let copied = fs::metadata(root.join("beside/inc/deep/a.h")).unwrap();
        assert_eq!(copied.permissions().mode() & 0o222, 0, "nobody may write the copy");
    }

    #[test]
    fn nothing_is_put_outside_of_the_directory_of_a_test() {
        let place = tempfile::tempdir().unwrap();
        for path in ["../a.h", "/a.h", "x/../../a.h", ""] {
            let companion = Companion { path: path.into(), source: place.path().to_owned() };
            let private = PrivateCopies::new(place.path().join("private"));
            assert!(Companions::new(place.path(), &[companion], &private).is_err(), "{path}");
            let archive = pack([(Kind::Plain, path.as_bytes(), &b""[..])]).unwrap();
            assert!(Companions::unpacked(place.path(), &archive).is_err(), "{path}");
        }
    }
}
