//! A file that only grows and whose torn end is found: lines of JSON, each with a checksum that
//! also covers all lines before it.
//!
//! See [`crate::journal`] for the format of a line. Must not know what the lines say.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::system::files;
use crate::system::own_directory::OwnDirectory;

/// The lines of this time at most are lost by a power cut. (Being killed loses none.)
const SYNC: Duration = Duration::from_secs(2);

/// A log that is open for writing. Its directory's lock keeps other processes away.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    end: u64,
    chain: u64,
    synced: Instant,
    error: Option<io::Error>,
}

/// What a log holds; nothing if the file is not a log.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The JSON of every whole line.
    pub lines: Vec<String>,
    /// How many bytes follow the last whole line.
    pub torn: u64,
    end: u64,
    chain: u64,
}

impl Log {
    /// Opens a log and cuts off a torn end. A file without a single whole line is
    /// left as it is: nothing says that it is ours.
    ///
    /// # Errors
    /// If it cannot be opened: `NotFound` if there is no such file; else what the system says.
    pub(crate) fn open(directory: &OwnDirectory, name: &OsStr) -> io::Result<(Self, Lines)> {
        let mut file = directory.open_file(name, true)?;
        let lines = Lines::read(&mut file)?;
        if lines.torn > 0 && !lines.lines.is_empty() {
            files::truncate(&file, lines.end)?;
        }
        let Lines { end, chain, .. } = lines;
        let synced = Instant::now();
        Ok((Self { file, end, chain, synced, error: None }, lines))
    }

    /// Makes a log with this first line, safely on the disk, under a name that nobody takes for a
    /// log; returns that name.
    ///
    /// # Errors
    /// If it cannot be written; nothing stays then.
    pub(crate) fn create(
        directory: &OwnDirectory,
        name: &OsStr,
        first: &impl Serialize,
    ) -> io::Result<(OsString, Self)> {
        let (unfinished, file) = directory.create_unfinished(name)?;
        let synced = Instant::now();
        let mut log = Self { file, end: 0, chain: 0, synced, error: None };
        match log.try_append(first).and_then(|()| log.sync()) {
            Ok(()) => Ok((unfinished, log)),
            Err(error) => {
                let _ = directory.remove(&unfinished);
                Err(error)
            }
        }
    }

    /// Adds a line. If that fails, nothing is added from then on, and [`error`](Self::error) says
    /// why.
    pub(crate) fn append(&mut self, record: &impl Serialize) {
        if self.error.is_none()
            && let Err(error) = self.try_append(record)
        {
            // Part of the line may be there; should this fail too, it is cut off when it is read.
            let _ = files::truncate(&self.file, self.end);
            self.error = Some(error);
        }
    }

    fn try_append(&mut self, record: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string(record)?;
        let chain = xxh3_64_with_seed(json.as_bytes(), self.chain);
        let line = format!("{chain:016x} {json}\n");
        files::write_at(&self.file, line.as_bytes(), self.end)?;
        (self.end, self.chain) = (self.end + line.len() as u64, chain);
        if self.synced.elapsed() >= SYNC { self.sync() } else { Ok(()) }
    }

    /// Brings everything safely to the disk.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.synced = Instant::now();
        files::sync(&self.file)
    }

    /// Returns why lines are missing, if some are.
    pub(crate) fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }
}

impl Lines {
    /// Reads all whole lines of a file, which may be open for writing elsewhere.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn of(directory: &OwnDirectory, name: &OsStr) -> io::Result<Self> {
        Self::read(&mut directory.open_file(name, false)?)
    }

    fn read(file: &mut File) -> io::Result<Self> {
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let mut read = Self::default();
        for line in text.split_inclusive(|&b| b == b'\n') {
            let Some((json, chain)) = whole(line, read.chain) else { break };
            read.lines.push(json.to_owned());
            (read.end, read.chain) = (read.end + line.len() as u64, chain);
        }
        read.torn = text.len() as u64 - read.end;
        Ok(read)
    }
}

/// Returns the JSON of a line and its checksum, if the line is as it was written.
fn whole(line: &[u8], before: u64) -> Option<(&str, u64)> {
    let line = str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (sum, json) = line.split_once(' ')?;
    let chain = xxh3_64_with_seed(json.as_bytes(), before);
    (sum == format!("{chain:016x}")).then_some((json, chain))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a directory with an empty log in it.
    fn begun() -> (tempfile::TempDir, OwnDirectory, Log) {
        let place = tempfile::tempdir().unwrap();
        let directory = OwnDirectory::open(place.path()).unwrap();
        let (name, log) = Log::create(&directory, OsStr::new("log"), &"first").unwrap();
        directory.rename(&name, OsStr::new("log")).unwrap();
        (place, directory, log)
    }

    #[test]
    fn a_log_that_was_cut_anywhere_goes_on_behind_its_last_whole_line() {
        let (place, directory, mut log) = begun();
        let [path, name] = [place.path().join("log"), "log".into()];
        let name = name.as_os_str();
        ["two\nlines", "", "four"].iter().for_each(|word| log.append(word));
        drop(log);
        let all = fs::read(&path).unwrap();
        let ends: Vec<usize> = (1..=all.len()).filter(|&at| all[at - 1] == b'\n').collect();
        for cut in ends[0]..=all.len() {
            fs::write(&path, &all[..cut]).unwrap();
            let (mut log, lines) = Log::open(&directory, name).unwrap();
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            assert_eq!(lines.lines.len(), whole);
            log.append(&"more");
            drop(log);
            assert_eq!(Lines::of(&directory, name).unwrap().lines.len(), whole + 1);
        }
    }

    #[test]
    fn no_changed_byte_is_believed() {
        let (place, directory, mut log) = begun();
        let path = place.path().join("log");
        (0..3).for_each(|number| log.append(&number));
        let all = fs::read(&path).unwrap();
        for at in 0..all.len() {
            let mut changed = all.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            let lines = Lines::of(&directory, OsStr::new("log")).unwrap();
            let before = all[..at].iter().filter(|&&b| b == b'\n').count();
            assert_eq!(lines.lines.len(), before, "byte {at}");
        }
    }
}
