//! Files that stand beside the candidate in every test, because it names them or the user says so.
//!
//! They are copied once into the scratch directory of the run, without the right to write them, and
//! every test gets links to the copies: a test must not change what the next one sees.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use minirepro_engine::archive::{Kind, entries};

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
    pub(crate) fn new(root: &Path, companions: &[Companion]) -> io::Result<Self> {
        let directory = root.join("beside");
        files::create_private_directories(&directory)?;
        let mut names: Vec<OsString> = Vec::new();
        for Companion { path, source } in companions {
            note_name(&mut names, path)?;
            copy(source, &directory.join(path))?;
        }
        Ok(Self { directory, names })
    }

    /// Writes the files of an archive below `root`, as [`new`](Self::new) would copy them.
    ///
    /// # Errors
    /// If one of them cannot be written, or its path leads elsewhere.
    pub(crate) fn unpacked(root: &Path, archive: &[u8]) -> io::Result<Self> {
        let directory = root.join("beside");
        files::create_private_directories(&directory)?;
        let mut names: Vec<OsString> = Vec::new();
        for entry in entries(archive) {
            let path = Path::new(OsStr::from_bytes(entry.path));
            note_name(&mut names, path)?;
            let place = directory.join(path);
            place.parent().map_or(Ok(()), files::create_private_directories)?;
            let file = files::create_new(&place, 0o600)?;
            files::write_at(&file, entry.text, 0)?;
            let mode = if entry.kind == Kind::Executable { 0o555 } else { 0o444 };
            files::set_permissions(&file, Permissions::from_mode(mode))?;
        }
        Ok(Self { directory, names })
    }

    /// Returns the places of all files relative to the candidate's directory, and where they are.
    ///
    /// # Errors
    /// If a directory cannot be read.
    pub(crate) fn all(&self) -> io::Result<Vec<(PathBuf, PathBuf)>> {
        let mut found = Vec::new();
        let mut open = vec![PathBuf::new()];
        while let Some(below) = open.pop() {
            for entry in files::read_directory(&self.directory.join(&below))? {
                let entry = entry?;
                let path = below.join(entry.file_name());
                match entry.metadata()?.is_dir() {
                    true => open.push(path),
                    false => found.push((path, entry.path())),
                }
            }
        }
        Ok(found)
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

/// Adds the first part of a path to the names at the top.
///
/// # Errors
/// If the path leads out of the directory.
fn note_name(names: &mut Vec<OsString>, path: &Path) -> io::Result<()> {
    let mut parts = path.components();
    let Some(Component::Normal(first)) = parts.next() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    if parts.any(|part| !matches!(part, Component::Normal(_))) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if !names.iter().any(|name| name == first) {
        names.push(first.to_owned());
    }
    Ok(())
}

/// Copies a file, or a directory with all that is in it, following links.
fn copy(source: &Path, target: &Path) -> io::Result<()> {
    let mut open = vec![(source.to_owned(), target.to_owned())];
    while let Some((source, target)) = open.pop() {
        if let Some(parent) = target.parent() {
            files::create_private_directories(parent)?;
        }
        let data = fs::metadata(&source)?;
        if data.is_dir() {
            files::create_private_directories(&target)?;
            for entry in files::read_directory(&source)? {
                let name = entry?.file_name();
                open.push((source.join(&name), target.join(&name)));
            }
        } else if data.is_file() && !target.exists() {
            let executable = data.permissions().mode() & 0o111;
            let copy = files::copy_to_new(&source, &target, 0o600)?;
            files::set_permissions(&copy, Permissions::from_mode(0o444 | executable))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
        let companions = Companions::new(&root, &companions).unwrap();
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
            assert!(Companions::new(place.path(), &[companion]).is_err(), "{path}");
            let archive = pack([(Kind::Plain, path.as_bytes(), &b""[..])]).unwrap();
            assert!(Companions::unpacked(place.path(), &archive).is_err(), "{path}");
        }
    }
}
