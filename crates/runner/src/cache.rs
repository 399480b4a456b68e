//! Answers that outlive their run: one log per test in a directory that the user names. Knows no
//! session.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::journal::JournalError;
use crate::log::{Lines, Log};
use crate::records::{Answer, Digest, Facts};

/// The first line of a cache: which test it belongs to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    cache: u32,
    test: Facts,
}

/// The answers of one test. Those of tests that took too long are not kept: the next machine may be
/// less busy.
#[derive(Debug)]
pub struct Cache {
    answers: HashMap<Digest, Answer>,
    /// `None` while another run writes: then this one only reads.
    log: Option<Log>,
}

impl Cache {
    /// The answers of the test with these facts, in a file of the directory, which is made.
    ///
    /// # Errors
    /// When the directory or the file cannot be made or read.
    pub fn open(directory: &Path, test: &Facts) -> Result<Self, JournalError> {
        let error = |path: &Path| {
            let path = path.to_owned();
            |error| JournalError::Io { path, error }
        };
        fs::create_dir_all(directory).map_err(error(directory))?;
        let header = Header { cache: 1, test: test.clone() };
        let name = serde_json::to_string(&header).expect("facts are strings");
        let path: PathBuf = directory.join(Digest::of(name.as_bytes()).as_str());
        let (mut log, lines) = match Log::open(&path) {
            Ok((log, lines)) => (Some(log), lines),
            Err(busy) if busy.kind() == io::ErrorKind::WouldBlock => {
                (None, Lines::of(&path).map_err(error(&path))?)
            }
            Err(other) => return Err(error(&path)(other)),
        };
        let mut records = lines.lines.iter();
        let known = records.next().and_then(|line| serde_json::from_str::<Header>(line).ok());
        let mut answers = HashMap::new();
        if known.as_ref() == Some(&header) {
            for answer in records.filter_map(|line| serde_json::from_str::<Answer>(line).ok()) {
                answers.insert(answer.candidate.clone(), answer);
            }
        } else if let Some(log) = &mut log {
            log.clear().map_err(error(&path))?;
            log.append(&header);
        }
        Ok(Self { answers, log })
    }

    pub(crate) fn get(&self, candidate: &Digest) -> Option<&Answer> {
        self.answers.get(candidate)
    }

    pub(crate) fn keep(&mut self, answer: &Answer) {
        if !answer.timeout {
            self.log.iter_mut().for_each(|log| log.append(answer));
        }
    }

    /// See [`Log::sync_now_and_then`].
    pub(crate) fn sync_now_and_then(&mut self) {
        self.log.iter_mut().for_each(Log::sync_now_and_then);
    }

    /// How many answers there were at the start.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// Why not everything could be written.
    pub fn error(&self) -> Option<&io::Error> {
        self.log.as_ref()?.error()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_for_the_same_test_only() {
        let place = tempfile::tempdir().unwrap();
        let facts = |name: &str| Facts::from([("program".to_owned(), name.to_owned())]);
        let answer = |text: &str, timeout| Answer {
            candidate: Digest::of(text.as_bytes()),
            outcome: crate::records::Told::Unresolved,
            seconds: 1.0,
            timeout,
        };
        let known =
            |cache: &Cache| ["a", "b"].map(|t| cache.get(&Digest::of(t.as_bytes())).is_some());
        let mut first = Cache::open(place.path(), &facts("cc")).unwrap();
        first.keep(&answer("a", false));
        first.keep(&answer("b", true));
        let meanwhile = Cache::open(place.path(), &facts("cc")).unwrap();
        assert_eq!(known(&meanwhile), [true, false], "read although another run writes");
        drop(first);
        assert_eq!(known(&Cache::open(place.path(), &facts("cc")).unwrap()), [true, false]);
        assert_eq!(Cache::open(place.path(), &facts("clang")).unwrap().answers(), 0);
    }
}
