//! Answers that outlive their run: one log per test in a directory that the user names.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::journal::format::{Answer, Digest, Fingerprint};
use crate::journal::journal::JournalError;
use crate::journal::log::{Lines, Log};
use crate::system::files;
use crate::system::own_directory::{OwnDirectory, is_of_another_kind};

/// The first line of a cache: which test it belongs to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    cache: u32,
    test: Fingerprint,
}

/// The answers of one test. Those of tests that took too long are not kept: the next machine may be
/// less busy. Nothing is made before the first answer.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    name: Digest,
    header: Header,
    answers: HashMap<Digest, Answer>,
    writing: Writing,
}

/// Where new answers go.
#[derive(Debug)]
enum Writing {
    /// Into a log that the first answer makes.
    NotYet,
    /// Into this one.
    Open(Log),
    /// Nowhere, while another run writes.
    Elsewhere,
    /// Nowhere, since the log could not be made.
    Failed(io::Error),
}

impl Cache {
    /// Reads the answers of the test with these facts in a directory, which need not exist.
    ///
    /// # Errors
    /// If the directory or the file is not ours, could be somebody else's, cannot be read, or could
    /// not be made.
    pub fn open(directory: &Path, test: &Fingerprint) -> Result<Self, JournalError> {
        let header = Header { cache: 1, test: test.clone() };
        let facts = serde_json::to_string(&header).expect("facts are strings");
        let name = Digest::of(facts.as_bytes());
        let path = directory.join(name.as_str());
        let answers = HashMap::new();
        let writing = Writing::NotYet;
        let mut cache = Self { directory: directory.to_owned(), name, header, answers, writing };
        let error = |error| JournalError::writing(directory)(error);
        let place = match OwnDirectory::open_trusted(directory) {
            Ok(place) => place,
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                files::can_be_created_with_parents(directory).map_err(error)?;
                return Ok(cache);
            }
            Err(other) if is_of_another_kind(&other) => {
                return Err(JournalError::NotOurs(directory.to_owned()));
            }
            Err(other) => return Err(error(other)),
        };
        let lines = match Log::open(&place, OsStr::new(cache.name.as_str())) {
            Ok((log, lines)) => {
                cache.writing = Writing::Open(log);
                lines
            }
            Err(busy) if busy.kind() == io::ErrorKind::WouldBlock => {
                cache.writing = Writing::Elsewhere;
                Lines::of(&place, OsStr::new(cache.name.as_str())).map_err(error)?
            }
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(cache),
            Err(other) if is_of_another_kind(&other) => return Err(JournalError::NotOurs(path)),
            Err(other) => return Err(error(other)),
        };
        let mut records = lines.lines.iter();
        let known = records.next().and_then(|line| serde_json::from_str::<Header>(line).ok());
        if known.as_ref() != Some(&cache.header) {
            return Err(JournalError::NotOurs(path));
        }
        for answer in records.filter_map(|line| serde_json::from_str::<Answer>(line).ok()) {
            cache.answers.insert(answer.candidate.clone(), answer);
        }
        Ok(cache)
    }

    /// Checks that answers can be kept in a directory, and writes nothing.
    ///
    /// # Errors
    /// If it is no directory, could be somebody else's, or could not be made.
    pub fn check(directory: &Path) -> Result<(), JournalError> {
        let checked = match OwnDirectory::open_trusted(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                files::can_be_created_with_parents(directory)
            }
            opened => opened.map(drop),
        };
        checked.map_err(|error| match is_of_another_kind(&error) {
            true => JournalError::NotOurs(directory.to_owned()),
            false => JournalError::writing(directory)(error),
        })
    }

    /// Returns the answer to a candidate that was known at the start.
    pub(crate) fn get(&self, candidate: &Digest) -> Option<&Answer> {
        self.answers.get(candidate)
    }

    /// Adds an answer, unless its test took too long or another run is writing.
    pub(crate) fn insert(&mut self, answer: &Answer) {
        if answer.timeout {
            return;
        }
        if let Writing::NotYet = self.writing {
            self.writing = self.begin().map_or_else(Writing::Failed, Writing::Open);
        }
        if let Writing::Open(log) = &mut self.writing {
            log.append(answer);
        }
    }

    fn begin(&self) -> io::Result<Log> {
        if let Some(parent) = self.directory.parent() {
            files::create_directories(parent)?;
        }
        let directory = OwnDirectory::open_or_create(&self.directory)?;
        let name = OsStr::new(self.name.as_str());
        let (unfinished, log) = Log::create(&directory, name, &self.header)?;
        // Should another run have begun one at the same time, the answers of one of the two are
        // lost.
        directory.rename(&unfinished, name)?;
        directory.sync();
        Ok(log)
    }

    /// See [`Log::sync_if_due`].
    pub(crate) fn sync_if_due(&mut self) {
        if let Writing::Open(log) = &mut self.writing {
            log.sync_if_due();
        }
    }

    /// Counts the answers that there were at the start.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// Returns why not everything could be written.
    pub fn error(&self) -> Option<&io::Error> {
        match &self.writing {
            Writing::Open(log) => log.error(),
            Writing::Failed(error) => Some(error),
            Writing::NotYet | Writing::Elsewhere => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_for_the_same_test_only() {
        let place = tempfile::tempdir().unwrap();
        let facts = |name: &str| Fingerprint::from([("program".to_owned(), name.to_owned())]);
        let answer = |text: &str, timeout| Answer {
            candidate: Digest::of(text.as_bytes()),
            outcome: crate::journal::format::Told::Unresolved,
            seconds: 1.0,
            timeout,
            cached: false,
            unconfirmed: false,
        };
        let known =
            |cache: &Cache| ["a", "b"].map(|t| cache.get(&Digest::of(t.as_bytes())).is_some());
        let mut first = Cache::open(place.path(), &facts("cc")).unwrap();
        first.insert(&answer("a", false));
        first.insert(&answer("b", true));
        let meanwhile = Cache::open(place.path(), &facts("cc")).unwrap();
        assert_eq!(known(&meanwhile), [true, false], "read although another run writes");
        drop(first);
        assert_eq!(known(&Cache::open(place.path(), &facts("cc")).unwrap()), [true, false]);
        assert_eq!(Cache::open(place.path(), &facts("clang")).unwrap().answers(), 0);
    }
}
