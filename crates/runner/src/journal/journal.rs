//! The journal of one run: read as a whole, or written record by record.
//!
//! See [`crate::journal`] for the files and the records. The directory and the files must be ours,
//! or not exist: no link is followed, and nothing else is overwritten. Nothing is made before a run
//! [begins](Journal::begin).

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use minirepro_engine::Said;

use crate::journal::format::{Answer, End, Header, Record, Start, VERSION};
use crate::journal::log::{Lines, Log};
use crate::system::files::{self, LIMIT};
use crate::system::own_directory::{OwnDirectory, is_of_another_kind, is_unfinished};

const FILE: &str = "journal";
const INPUT: &str = "input";
/// The file that says whose the directory is, whatever a loss of power leaves of the others.
const MARK: &str = ".made-by-minirepro";
/// What is in it.
const MARKED: &[u8] =
    b"This directory holds the journal of a run of minirepro, and goes with it.\n";

/// The journal of an earlier run, read.
#[derive(Debug)]
pub struct PreviousRun {
    /// How the run was started.
    pub header: Header,
    /// The findings of the tests before its search; `None` if it was killed before.
    pub start: Option<Start>,
    /// How it ended; `None` if it went on from there, or was killed.
    pub end: Option<End>,
    pub(crate) answers: Vec<Answer>,
    /// What proposers said, in order.
    pub(crate) said: Vec<Said>,
    /// What a run of many reductions has noted, in order.
    pub noted: Vec<serde_json::Value>,
}

/// The journal of a run, being written. Locked: one process at a time.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// Locked, once it exists.
    directory: Option<OwnDirectory>,
    /// Of this run or of an older one.
    log: Option<Log>,
    state: State,
}

/// What is to happen with the files when the journal is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// They are as they were found, and stay.
    Untouched,
    /// A run is being begun, or is over: they go.
    Removable,
    /// A run is in it, and stays.
    Begun,
}

/// The error for a journal that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process is writing it.
    #[error("another minirepro is at work in {}", .0.display())]
    Busy(PathBuf),
    /// The directory has no journal with a header.
    #[error("{} holds no run that was begun", .0.display())]
    Empty(PathBuf),
    /// Something else has this name, and is left alone.
    #[error("{} was not made by minirepro: it is left as it is", .0.display())]
    NotOurs(PathBuf),
    /// The journal has another version.
    #[error("{} was written by minirepro {made_by} in another form (version {version})", .path.display())]
    Version {
        /// The directory.
        path: PathBuf,
        /// Who wrote it.
        made_by: String,
        /// The version of its records.
        version: u32,
        /// How the run was begun, if that can be read.
        began: Option<Box<Header>>,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason that the system gives.
        error: io::Error,
    },
    /// A file or directory cannot be written.
    #[error("cannot write {}: {error}", .path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// The reason that the system gives.
        error: io::Error,
    },
}

impl JournalError {
    /// Returns what makes an error of a failure to read `path`.
    pub(crate) fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        |error| Self::Read { path, error }
    }

    /// Returns what makes an error of a failure to write `path`.
    pub(crate) fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        |error| Self::Write { path, error }
    }
}

impl PreviousRun {
    /// Reads the journal in a directory; a torn end is left out.
    ///
    /// # Errors
    /// If there is no readable journal with at least a header.
    pub fn read(directory: &Path) -> Result<Self, JournalError> {
        let path = directory.join(FILE);
        let lines = OwnDirectory::open(directory)
            .and_then(|directory| Lines::of(&directory, OsStr::new(FILE)))
            .map_err(JournalError::reading(&path))?;
        Self::new(directory, &lines)?.ok_or_else(|| JournalError::Empty(directory.to_owned()))
    }

    /// Reads the bytes that the run began with.
    ///
    /// # Errors
    /// If they are gone.
    pub fn input(directory: &Path) -> Result<Vec<u8>, JournalError> {
        let path = directory.join(INPUT);
        OwnDirectory::open(directory)
            .and_then(|directory| directory.open_file(OsStr::new(INPUT), false))
            .and_then(|file| files::read_open(file, LIMIT))
            .map_err(JournalError::reading(&path))
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
                let (version, made_by, began) = match other {
                    Record::Run(header) => (header.version, header.minirepro.clone(), Some(header)),
                    _ => (0, "(unknown)".into(), None),
                };
                let path = directory.to_owned();
                return Err(JournalError::Version { path, made_by, version, began });
            }
        };
        let (answers, said, noted) = Default::default();
        let mut past = Self { header: *header, start: None, end: None, answers, said, noted };
        for record in records {
            match record {
                Record::Start(start) if start.is_possible() => {
                    past.start = Some(start);
                    past.end = None;
                }
                Record::Answer(answer) => {
                    past.answers.push(answer);
                    // It went on behind its end, and has had no other since.
                    past.end = None;
                }
                Record::Said(said) => {
                    past.said.push(said);
                    past.end = None;
                }
                Record::Noted(noted) => past.noted.push(noted),
                Record::End(end) => past.end = Some(end),
                Record::Start(_) | Record::Run(_) | Record::Unknown(_) => {}
            }
        }
        Ok(Some(past))
    }

    /// Returns how many answers there are.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }
}

impl Journal {
    /// Opens the journal in a directory and returns what is in it. The directory need not exist.
    ///
    /// # Errors
    /// If another process has it open, it is not ours, could be somebody else's, has another
    /// version, or cannot be written.
    pub fn open(path: &Path) -> Result<(Self, Option<PreviousRun>), JournalError> {
        Self::open_by(path, OwnDirectory::open_trusted)
    }

    /// Opens the journal in a directory that may be somebody else's, if the user has agreed.
    ///
    /// # Errors
    /// If another process has it open, it is not ours, it has another version, or it cannot be
    /// written.
    pub fn open_agreed(path: &Path) -> Result<(Self, Option<PreviousRun>), JournalError> {
        Self::open_by(path, OwnDirectory::open)
    }

    fn open_by(
        path: &Path,
        open: fn(&Path) -> io::Result<OwnDirectory>,
    ) -> Result<(Self, Option<PreviousRun>), JournalError> {
        let io = |error| JournalError::writing(path)(error);
        let mut journal =
            Self { path: path.to_owned(), directory: None, log: None, state: State::Untouched };
        let directory = match open(path) {
            Ok(directory) => directory,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                files::can_be_created(path).map_err(io)?;
                return Ok((journal, None));
            }
            Err(error) if is_of_another_kind(&error) && path.symlink_metadata().is_ok() => {
                return Err(JournalError::NotOurs(path.to_owned()));
            }
            Err(error) => return Err(io(error)),
        };
        let previous = journal.read(directory)?;
        Ok((journal, previous))
    }

    /// Takes the lock of a directory that exists, and reads what is in it.
    fn read(&mut self, directory: OwnDirectory) -> Result<Option<PreviousRun>, JournalError> {
        let io = |error| JournalError::writing(&self.path)(error);
        let not_ours = || JournalError::NotOurs(self.path.clone());
        directory.lock_patiently().map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => JournalError::Busy(self.path.clone()),
            _ => io(error),
        })?;
        let names = directory.names().map_err(io)?;
        let is_marked = names.iter().any(|name| name == MARK) && is_marked(&directory);
        if !names.iter().any(|name| name == FILE) {
            if !is_marked && !is_left_by_us(&directory, &names) {
                return Err(not_ours());
            }
            self.directory = Some(directory);
            return Ok(None);
        }
        let (log, lines) =
            Log::open(&directory, OsStr::new(FILE)).map_err(|error| match error.kind() {
                _ if is_of_another_kind(&error) => not_ours(),
                _ => io(error),
            })?;
        // A run that was killed very early left an empty file, once.
        if !is_marked && lines.lines.is_empty() && (lines.torn > 0 || names.len() > 1) {
            return Err(not_ours());
        }
        let previous = PreviousRun::new(&self.path, &lines)?;
        self.directory = Some(directory);
        self.log = Some(log);
        Ok(previous)
    }

    /// Forgets what was there and begins a new run.
    ///
    /// # Errors
    /// If it cannot be written, or somebody else has begun a run here meanwhile.
    pub fn begin(&mut self, header: Header, input: &[u8]) -> Result<(), JournalError> {
        let path = self.path.clone();
        let io = |error| JournalError::writing(&path)(error);
        if self.directory.is_none() {
            let directory = OwnDirectory::open_or_create(&self.path).map_err(io)?;
            // It may be another's by now.
            if self.read(directory)?.is_some() {
                return Err(JournalError::Busy(path));
            }
            self.state = State::Removable;
        }
        let written = self.write(&header, input);
        if let (Err(_), Some(directory)) = (&written, &self.directory) {
            directory.remove_unfinished();
        }
        written.map_err(io)
    }

    /// Replaces the files of an old run by those of a new one. Whenever that is interrupted, the
    /// directory holds an old run, a new one, or what is known to be left by us.
    fn write(&mut self, header: &Header, input: &[u8]) -> io::Result<()> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let [file, input_file] = [FILE, INPUT].map(OsStr::new);
        directory.remove_unfinished();
        let (unfinished_mark, mark) = directory.create_unfinished(OsStr::new(MARK))?;
        files::write_at(&mark, MARKED, 0)?;
        files::sync(&mark)?;
        directory.rename(&unfinished_mark, OsStr::new(MARK))?;
        let (unfinished_input, copy) = directory.create_unfinished(input_file)?;
        files::write_at(&copy, input, 0)?;
        files::sync(&copy)?;
        let (unfinished_log, log) =
            Log::create(directory, file, &Record::Run(Box::new(header.clone())))?;
        if self.log.is_some() {
            // From here on, nothing of the old run counts.
            directory.remove(file)?;
        }
        self.state = State::Removable;
        // The input first: a header says that it is there.
        directory.rename(&unfinished_input, input_file)?;
        directory.rename(&unfinished_log, file)?;
        directory.sync();
        self.log = Some(log);
        self.state = State::Begun;
        Ok(())
    }

    /// Adds a record. A last one is on the disk then.
    pub fn add(&mut self, record: &Record) {
        if let Some(log) = &mut self.log {
            log.append(record);
            if let Record::End(_) = record {
                let _ = log.sync();
            }
        }
    }

    /// Returns the directory of the journal.
    pub fn directory(&self) -> &Path {
        &self.path
    }

    /// Returns why not everything could be written.
    pub fn error(&self) -> Option<&io::Error> {
        self.log.as_ref()?.error()
    }

    /// Removes the journal. Files that the user put into the directory stay.
    pub fn remove(mut self) {
        self.state = State::Removable;
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if let Some(directory) = self.directory.as_ref().filter(|_| self.state == State::Removable)
        {
            directory.remove_unfinished();
            // The records first: where they are, the input that they belong to is there as well.
            // What says whose the rest is goes last.
            let is_gone = |name: &str| match directory.remove(OsStr::new(name)) {
                Ok(()) => true,
                Err(error) => error.kind() == io::ErrorKind::NotFound,
            };
            // What cannot be removed does no harm.
            if [FILE, INPUT, MARK].into_iter().all(is_gone) {
                directory.remove_if_empty();
            }
        }
    }
}

/// Returns whether a directory without a journal is empty, or holds what a run left that was killed
/// while it began.
fn is_left_by_us(directory: &OwnDirectory, names: &[OsString]) -> bool {
    let is_log = |name: &OsStr| Lines::of(directory, name).is_ok_and(|log| !log.lines.is_empty());
    names.iter().all(|name| is_unfinished(name))
        || names.iter().any(|name| is_unfinished(name) && is_log(name))
}

/// Returns whether the directory holds our mark.
fn is_marked(directory: &OwnDirectory) -> bool {
    let mark = directory.open_file(OsStr::new(MARK), false);
    mark.and_then(|file| files::read_open(file, LIMIT)).is_ok_and(|text| text == MARKED)
}

#[cfg(test)]
mod tests;
