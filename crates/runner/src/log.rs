//! A file that only grows and whose torn end is found: lines of JSON, each with a checksum that also
//! covers all lines before it. Knows not what the lines say.
//!
//! A line is 16 hexadecimal digits of XXH3-64 over the JSON, seeded with the checksum of the line
//! before (0 for the first), a space, the JSON, a line end. So a line that is right says that all
//! before it are, and whatever a crash or a power cut left behind the last whole line is cut off.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// After a power cut at most the lines of so long a time are missing. (Being killed loses none.)
const SYNC: Duration = Duration::from_secs(2);

/// A log that is open for writing, and locked: one process at a time.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    end: u64,
    chain: u64,
    synced: Instant,
    /// Not all is safely on the disk.
    is_behind: bool,
    error: Option<io::Error>,
}

/// What a log holds.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The JSON of every whole line.
    pub lines: Vec<String>,
    /// Bytes behind the last whole line.
    pub torn: u64,
    end: u64,
    chain: u64,
}

impl Log {
    /// Opens or makes the file, takes the lock, and cuts off a torn end.
    ///
    /// # Errors
    /// `WouldBlock` when another process has the lock; else what the system says.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Lines)> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let lines = Lines::read(&mut file)?;
        let (end, chain) = (lines.end, lines.chain);
        if lines.torn > 0 {
            file.set_len(end)?;
        }
        Ok((
            Self { file, end, chain, synced: Instant::now(), is_behind: false, error: None },
            lines,
        ))
    }

    /// Forgets all lines.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        (self.end, self.chain) = (0, 0);
        self.file.set_len(0)
    }

    /// Adds a line. Should that fail, nothing is added any more, and [`error`](Self::error) says why.
    pub(crate) fn append(&mut self, record: &impl Serialize) {
        if self.error.is_none()
            && let Err(error) = self.try_append(record)
        {
            // Part of the line may be there; should this fail too, it is cut off when it is read.
            let _ = self.file.set_len(self.end);
            self.error = Some(error);
        }
    }

    fn try_append(&mut self, record: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string(record)?;
        let chain = xxh3_64_with_seed(json.as_bytes(), self.chain);
        let line = format!("{chain:016x} {json}\n");
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(line.as_bytes())?;
        (self.end, self.chain) = (self.end + line.len() as u64, chain);
        self.is_behind = true;
        // Where nobody finds a better time for it.
        if self.synced.elapsed() >= SYNC { self.sync() } else { Ok(()) }
    }

    /// Brings everything safely to the disk, if that is due. It may take some milliseconds: a good time is
    /// while a test runs.
    pub(crate) fn sync_now_and_then(&mut self) {
        if self.is_behind && self.synced.elapsed() >= SYNC / 2 {
            let done = self.sync();
            self.error = self.error.take().or(done.err());
        }
    }

    /// Brings everything safely to the disk.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        (self.synced, self.is_behind) = (Instant::now(), false);
        self.file.sync_data()
    }

    /// Why lines are missing, if some are.
    pub(crate) fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }
}

impl Lines {
    /// Reads all whole lines of a file, which may be open for writing elsewhere.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        Self::read(&mut File::open(path)?)
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

/// The JSON of a line and its checksum, if the line is as it was written.
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

    #[test]
    fn a_log_that_was_cut_anywhere_goes_on_behind_its_last_whole_line() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("log");
        let (mut log, lines) = Log::open(&path).unwrap();
        assert_eq!(lines.lines, [""; 0]);
        ["one", "two\nlines", "", "four"].iter().for_each(|word| log.append(word));
        let taken = Log::open(&path).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::WouldBlock, "one writer at a time");
        drop(log);
        let all = fs::read(&path).unwrap();
        let ends: Vec<usize> = (1..=all.len()).filter(|&at| all[at - 1] == b'\n').collect();
        for cut in 0..=all.len() {
            fs::write(&path, &all[..cut]).unwrap();
            let (mut log, lines) = Log::open(&path).unwrap();
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            assert_eq!(lines.lines.len(), whole);
            log.append(&"more");
            drop(log);
            assert_eq!(Lines::of(&path).unwrap().lines.len(), whole + 1);
        }
    }

    #[test]
    fn no_changed_byte_is_believed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("log");
        let (mut log, _) = Log::open(&path).unwrap();
        (0..3).for_each(|number| log.append(&number));
        let all = fs::read(&path).unwrap();
        for at in 0..all.len() {
            let mut changed = all.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            let lines = Lines::of(&path).unwrap();
            let before = all[..at].iter().filter(|&&b| b == b'\n').count();
            assert_eq!(lines.lines.len(), before, "byte {at}");
        }
    }
}
