//! What a run leaves on disk while it works, so that it can go on after any death, and be decided
//! again without its test. Knows records and files, no session.
//!
//! The directory holds `input`, the bytes to reduce, and `journal`, a [`Log`] whose first record says
//! what decides the run. Version 1; records and fields may be added, and readers skip records that
//! they don't know.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minirepro_engine::Outcome;

use crate::Output;
use crate::log::{Lines, Log};
use crate::records::{Answer, Digest, End, Header, Record, Start, VERSION};

const FILE: &str = "journal";
const INPUT: &str = "input";

/// A run's journal, read.
#[derive(Debug)]
pub struct Past {
    /// How the run was started.
    pub header: Header,
    /// What its first tests showed; `None` if it was killed before.
    pub start: Option<Start>,
    /// How it ended last.
    pub end: Option<End>,
    pub(crate) answers: Vec<Answer>,
    /// Where the first answer to a candidate is: should there be two, it was the one that counted.
    index: HashMap<Digest, usize>,
    /// Bytes of a line that was being written when the run died.
    pub torn: u64,
}

/// A run's journal, being written.
#[derive(Debug)]
pub struct Journal {
    directory: PathBuf,
    log: Log,
    /// There is a run in it, this one or an older one.
    begun: bool,
}

/// Why there is no journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process writes it.
    #[error("another minirepro is at work in {}", .0.display())]
    Busy(PathBuf),
    /// There is none.
    #[error("{} holds no run that was begun", .0.display())]
    Empty(PathBuf),
    /// It is from a later time.
    #[error("{} was written by minirepro {made_by} in another form (version {version})", .path.display())]
    Version {
        /// The directory.
        path: PathBuf,
        /// Who wrote it.
        made_by: String,
        /// The version of its records.
        version: u32,
    },
    /// The system refuses.
    #[error("cannot use {}: {error}", .path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

impl Past {
    /// Reads the journal in a directory; a torn end is left out.
    ///
    /// # Errors
    /// When there is no readable journal with at least a header.
    pub fn read(directory: &Path) -> Result<Self, JournalError> {
        let path = directory.join(FILE);
        let lines = Lines::of(&path).map_err(|error| JournalError::Io { path, error })?;
        Self::new(directory, &lines)?.ok_or_else(|| JournalError::Empty(directory.to_owned()))
    }

    /// The bytes that the run began with.
    ///
    /// # Errors
    /// When they are gone.
    pub fn input(directory: &Path) -> Result<Vec<u8>, JournalError> {
        let path = directory.join(INPUT);
        fs::read(&path).map_err(|error| JournalError::Io { path, error })
    }

    fn new(directory: &Path, lines: &Lines) -> Result<Option<Self>, JournalError> {
        let mut records = lines.lines.iter().map(|line| {
            // The checksum is right, so this is what some version wrote.
            serde_json::from_str(line).unwrap_or(Record::Unknown(serde_json::Value::Null))
        });
        let header = match records.next() {
            Some(Record::Run(header)) if header.version == VERSION => header,
            None => return Ok(None),
            Some(other) => {
                let (version, made_by) = match other {
                    Record::Run(header) => (header.version, header.minirepro),
                    _ => (0, "(unknown)".into()),
                };
                return Err(JournalError::Version { path: directory.to_owned(), made_by, version });
            }
        };
        let (answers, index, torn) = (Vec::new(), HashMap::new(), lines.torn);
        let mut past = Self { header: *header, start: None, end: None, answers, index, torn };
        for record in records {
            match record {
                Record::Start(start) => (past.start, past.end) = (Some(start), None),
                Record::Answer(answer) => {
                    past.index.entry(answer.candidate.clone()).or_insert(past.answers.len());
                    past.answers.push(answer);
                }
                Record::End(end) => past.end = Some(end),
                Record::Run(_) | Record::Unknown(_) => {}
            }
        }
        Ok(Some(past))
    }

    /// The answer to this candidate, and the time of its test.
    pub fn answer(&self, candidate: &Digest) -> Option<(Outcome, Duration)> {
        let at = *self.index.get(candidate)?;
        Some((self.answers[at].outcome.into(), self.answers[at].time()))
    }

    /// All answers in the order in which they came.
    pub fn all(&self) -> impl Iterator<Item = (Outcome, Duration)> + '_ {
        self.answers.iter().map(|answer| (answer.outcome.into(), answer.time()))
    }

    /// How many answers of tests there are.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }
}

impl Journal {
    /// Opens the journal in a directory, which is made if only it is missing, and says what is in it.
    /// If nothing is and no run [begins](Self::begin), nothing stays.
    ///
    /// # Errors
    /// When another process has it open, or it cannot be written.
    pub fn open(directory: &Path) -> Result<(Self, Option<Past>), JournalError> {
        let io = |path: &Path, error| JournalError::Io { path: path.to_owned(), error };
        match fs::create_dir(directory) {
            Err(error) if !directory.is_dir() => return Err(io(directory, error)),
            _ => {}
        }
        let path = directory.join(FILE);
        let (log, lines) = Log::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => JournalError::Busy(directory.to_owned()),
            _ => io(&path, error),
        })?;
        let past = Past::new(directory, &lines)?;
        Ok((Self { directory: directory.to_owned(), log, begun: past.is_some() }, past))
    }

    /// Forgets what was there and begins a new run.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&mut self, header: Header, input: &[u8]) -> Result<(), JournalError> {
        let io = |path: PathBuf| |error| JournalError::Io { path, error };
        self.log.clear().map_err(io(self.directory.join(FILE)))?;
        // The input first: a header says that it is there.
        self.begun = false;
        let path = self.directory.join(INPUT);
        Output::new(&path, &path).write(input).map_err(|e| io(e.path)(e.error))?;
        self.log.append(&Record::Run(Box::new(header)));
        self.begun = true;
        self.log.sync().map_err(io(self.directory.join(FILE)))
    }

    /// The first tests are done.
    pub fn start(&mut self, start: Start) {
        self.log.append(&Record::Start(start));
    }

    pub(crate) fn answer(&mut self, answer: Answer) {
        self.log.append(&Record::Answer(answer));
    }

    /// See [`Log::sync_now_and_then`].
    pub(crate) fn sync_now_and_then(&mut self) {
        self.log.sync_now_and_then();
    }

    /// The run is over.
    pub fn end(&mut self, end: End) {
        self.log.append(&Record::End(end));
        let _ = self.log.sync();
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Why not everything could be written.
    pub fn error(&self) -> Option<&io::Error> {
        self.log.error()
    }

    /// Removes it. What the user put into the directory stays.
    pub fn remove(mut self) {
        self.begun = false;
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if !self.begun {
            // What cannot be removed does no harm.
            let input = self.directory.join(INPUT);
            Output::new(&input, &input).clean();
            let _ = fs::remove_file(self.directory.join(FILE));
            let _ = fs::remove_file(input);
            let _ = fs::remove_dir(&self.directory);
        }
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
