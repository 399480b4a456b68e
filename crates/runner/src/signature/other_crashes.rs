//! Other failures that tests come across in a search for one: a file for each signature, with the
//! smallest input of it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::scratch::checkout::unpack;
use crate::system::own_directory::OwnDirectory;
use crate::system::{LIMIT, files, lock};
use crate::{Output, Signature};

/// The number of different failures that are kept at most.
const MOST: usize = 100;

/// Keeps other failures in a directory, which is made when the first one comes.
#[derive(Debug)]
pub struct OtherCrashes {
    directory: PathBuf,
    /// Of the files; directories have none.
    suffix: Option<OsString>,
    found: Mutex<BTreeMap<Signature, OtherCrash>>,
}

/// The name of the list of the directory's content, from which a resumed run goes on.
const LIST: &str = "finds.json";

/// One line of the list.
#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    signature: Signature,
    bytes: usize,
    file: String,
}

/// Another failure than the one that is searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherCrash {
    /// The size of its smallest input so far, in bytes.
    pub bytes: usize,
    /// The file with that input.
    pub path: PathBuf,
}

impl OtherCrashes {
    /// Returns an empty collection; its files go to `directory` and get the suffix of `input`. If
    /// that is a directory, so are they, and candidates are archives.
    pub fn new(directory: &Path, input: &Path) -> Self {
        let suffix = input.extension().unwrap_or(OsStr::new("txt")).to_owned();
        let suffix = (!input.is_dir()).then_some(suffix);
        Self { directory: directory.to_owned(), suffix, found: Mutex::default() }
    }

    /// Checks that files can be kept there, and writes nothing.
    ///
    /// # Errors
    /// If something else has the name of the directory, or it cannot be made.
    pub fn check(&self) -> io::Result<()> {
        let directory = match OwnDirectory::open_trusted(&self.directory) {
            Ok(directory) => directory,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return files::can_be_created_with_parents(&self.directory);
            }
            Err(error) => return Err(error),
        };
        let names = directory.names()?;
        let is_ours = names.is_empty() || directory.open_file(OsStr::new(LIST), false).is_ok();
        if is_ours { Ok(()) } else { Err(io::ErrorKind::DirectoryNotEmpty.into()) }
    }

    /// Keeps a candidate if it is the first or the smallest with this signature.
    ///
    /// # Errors
    /// If it cannot be written; it is not listed then.
    pub fn keep(&self, signature: &Signature, candidate: &[u8]) -> io::Result<()> {
        let mut found = lock(&self.found);
        let known = found.get(signature);
        if known.is_some_and(|crash| crash.bytes <= candidate.len())
            || known.is_none() && found.len() >= MOST
        {
            return Ok(());
        }
        let (is_new, number) = (known.is_none(), found.len() + 1);
        let path = known.map(|crash| crash.path.clone());
        let path = path.unwrap_or_else(|| self.directory.join(self.name(number, signature)));
        if found.is_empty() {
            self.check()?;
            files::create_parents(&self.directory)?;
        }
        OwnDirectory::open_or_create(&self.directory)?;
        if found.is_empty() {
            // The list marks the directory as ours.
            self.list(&found)?;
        }
        let output = Output::new(&path, &path);
        if self.suffix.is_some() {
            output.write(candidate).map_err(|error| error.error)?;
        } else {
            let place = output.workshop()?;
            let fresh = place.path().join("new");
            unpack(candidate, &fresh)?;
            if !is_new {
                files::remove(&path)?;
            }
            files::rename(&fresh, &path)?;
        }
        found.insert(signature.clone(), OtherCrash { bytes: candidate.len(), path });
        self.list(&found)
    }

    /// Reads the list of an interrupted run, which goes on with it.
    pub fn recall(&self) {
        let text = OwnDirectory::open_trusted(&self.directory)
            .and_then(|directory| directory.open_file(OsStr::new(LIST), false))
            .and_then(|list| files::read_open(list, LIMIT))
            .unwrap_or_default();
        let list: Vec<Listed> = serde_json::from_slice(&text).unwrap_or_default();
        let mut found = lock(&self.found);
        for Listed { signature, bytes, file } in list {
            // Not even a forged list leads out of the directory.
            let parts: Vec<Component<'_>> = Path::new(&file).components().collect();
            if !matches!(parts[..], [Component::Normal(_)]) {
                continue;
            }
            let path = self.directory.join(file);
            let is_as_it_was = |data: fs::Metadata| match self.suffix {
                Some(_) => data.is_file() && data.len() == bytes as u64,
                None => data.is_dir(),
            };
            if fs::symlink_metadata(&path).is_ok_and(is_as_it_was) {
                found.insert(signature, OtherCrash { bytes, path });
            }
        }
    }

    /// Writes the list.
    fn list(&self, found: &BTreeMap<Signature, OtherCrash>) -> io::Result<()> {
        let listed = |(signature, crash): (&Signature, &OtherCrash)| Listed {
            signature: signature.clone(),
            bytes: crash.bytes,
            file: crash.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let list: Vec<Listed> = found.iter().map(listed).collect();
        let path = self.directory.join(LIST);
        let json = serde_json::to_vec_pretty(&list)?;
        Output::new(&path, &path).write(&json).map_err(|error| error.error)
    }

    /// Returns all of them, ordered by the names of their files.
    pub fn all(&self) -> Vec<(Signature, OtherCrash)> {
        let mut all: Vec<_> =
            lock(&self.found).iter().map(|(s, f)| (s.clone(), f.clone())).collect();
        all.sort_by(|a, b| a.1.path.cmp(&b.1.path));
        all
    }

    fn name(&self, number: usize, signature: &Signature) -> OsString {
        let words = signature.frames.first().unwrap_or(&signature.message);
        let words = format!("{number:02} {} {words}", signature.kind);
        let parts = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
        let name: String = parts.collect::<Vec<_>>().join("-").chars().take(60).collect();
        let mut name = OsString::from(name);
        if let Some(suffix) = &self.suffix {
            name.push(".");
            name.push(suffix);
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_input_of_each_failure_is_kept() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("a.finds");
        let finds = OtherCrashes::new(&directory, Path::new("a.c"));
        assert!(!directory.exists());
        let signature = |frame: &str| Signature {
            kind: "crash".into(),
            message: "SIGSEGV".into(),
            frames: vec![frame.into()],
            place: None,
            end: "SIGSEGV".into(),
            crash: true,
        };
        for (frame, text) in [("f(int)", "long"), ("g", "x"), ("f(int)", "ab"), ("f(int)", "abc")] {
            finds.keep(&signature(frame), text.as_bytes()).unwrap();
        }
        let names: Vec<_> = finds.all().into_iter().map(|(_, find)| find.path).collect();
        let expected = ["01-crash-f-int.c", "02-crash-g.c"].map(|name| directory.join(name));
        assert_eq!(names, expected);
        assert_eq!(fs::read_to_string(&expected[0]).unwrap(), "ab");
        let later = OtherCrashes::new(&directory, Path::new("a.c"));
        assert!(later.all().is_empty(), "another run");
        later.recall();
        assert_eq!(later.all(), finds.all(), "the same run goes on");
        later.keep(&signature("h"), b"x").unwrap();
        assert!(directory.join("03-crash-h.c").exists());
    }
}
