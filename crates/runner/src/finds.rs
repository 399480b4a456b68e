//! Other failures that are met while one is looked for: one file per signature, the smallest
//! input of each. Knows no process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::{Output, Signature};

/// At most so many different failures are kept.
const MOST: usize = 100;

/// Keeps other failures in a directory, which is only made when there is one.
#[derive(Debug)]
pub struct Finds {
    directory: PathBuf,
    suffix: OsString,
    found: Mutex<BTreeMap<Signature, Find>>,
}

/// What is in the directory, for who goes on after a death.
const LIST: &str = "finds.json";

/// One line of the list.
#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    signature: Signature,
    bytes: usize,
    file: String,
}

/// Another failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Find {
    /// How many bytes its smallest input has so far.
    pub bytes: usize,
    /// Where that is.
    pub path: PathBuf,
}

impl Finds {
    /// Finds go to `directory`, with the suffix of `input`.
    pub fn new(directory: &Path, input: &Path) -> Self {
        let suffix = input.extension().unwrap_or(OsStr::new("txt")).to_owned();
        Self { directory: directory.to_owned(), suffix, found: Mutex::default() }
    }

    /// Keeps a candidate if it is the first or the smallest with this signature.
    ///
    /// # Errors
    /// When it cannot be written; it is not listed then.
    pub fn keep(&self, signature: &Signature, candidate: &[u8]) -> io::Result<()> {
        let mut found = self.found();
        let known = found.get(signature);
        if known.is_some_and(|find| find.bytes <= candidate.len()) {
            return Ok(());
        }
        let path = match known {
            Some(find) => find.path.clone(),
            None if found.len() >= MOST => return Ok(()),
            None => self.directory.join(self.name(found.len() + 1, signature)),
        };
        fs::create_dir_all(&self.directory)?;
        Output::new(&path, &path).write(candidate).map_err(|error| error.error)?;
        found.insert(signature.clone(), Find { bytes: candidate.len(), path });
        self.list(&found)
    }

    /// Goes on with what an earlier part of the run has found.
    pub fn recall(&self) {
        let text = fs::read(self.directory.join(LIST)).unwrap_or_default();
        let list: Vec<Listed> = serde_json::from_slice(&text).unwrap_or_default();
        let mut found = self.found();
        for Listed { signature, bytes, file } in list {
            let path = self.directory.join(file);
            if fs::metadata(&path).is_ok_and(|data| data.len() == bytes as u64) {
                found.insert(signature, Find { bytes, path });
            }
        }
    }

    /// Writes down what is there.
    fn list(&self, found: &BTreeMap<Signature, Find>) -> io::Result<()> {
        let listed = |(signature, find): (&Signature, &Find)| Listed {
            signature: signature.clone(),
            bytes: find.bytes,
            file: find.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let list: Vec<Listed> = found.iter().map(listed).collect();
        let path = self.directory.join(LIST);
        let json = serde_json::to_vec_pretty(&list)?;
        Output::new(&path, &path).write(&json).map_err(|error| error.error)
    }

    /// All of them, in the order of their names.
    pub fn all(&self) -> Vec<(Signature, Find)> {
        let mut all: Vec<_> = self.found().iter().map(|(s, f)| (s.clone(), f.clone())).collect();
        all.sort_by(|a, b| a.1.path.cmp(&b.1.path));
        all
    }

    fn name(&self, number: usize, signature: &Signature) -> OsString {
        let words = signature.frames.first().unwrap_or(&signature.message);
        let words = format!("{number:02} {} {words}", signature.kind);
        let parts = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
        let mut name: String = parts.collect::<Vec<_>>().join("-").chars().take(60).collect();
        name.push('.');
        let mut name = OsString::from(name);
        name.push(&self.suffix);
        name
    }

    fn found(&self) -> MutexGuard<'_, BTreeMap<Signature, Find>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_input_of_each_failure_is_kept() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("a.finds");
        let finds = Finds::new(&directory, Path::new("a.c"));
        assert!(!directory.exists());
        let signature = |frame: &str| Signature {
            kind: "crash".into(),
            message: "SIGSEGV".into(),
            frames: vec![frame.into()],
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
        let later = Finds::new(&directory, Path::new("a.c"));
        assert!(later.all().is_empty(), "another run");
        later.recall();
        assert_eq!(later.all(), finds.all(), "the same run goes on");
        later.keep(&signature("h"), b"x").unwrap();
        assert!(directory.join("03-crash-h.c").exists());
    }
}
