//! What runs of inputs have shown, on disk: a line a run, in the order in which they ended. Only
//! whole lines count, so a batch can be killed while one is written.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use minirepro_runner::{Digest, Fingerprint, Signature};
use serde::{Deserialize, Serialize};

/// The version of the file's format. Later versions may add fields.
const FORMAT: u32 = 1;
/// How often the lock is tried, and the time between.
const PATIENCE: u32 = 60;
const PAUSE: Duration = Duration::from_millis(50);

/// How a run of an input ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// It failed, as this signature says, with the line in its innermost function.
    Failed(Signature),
    /// It did not fail.
    Passed,
    /// It took longer than it may.
    Hung,
    /// Nothing can be said, for this reason.
    Unclear(String),
}

/// A line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Begun { format: u32, facts: Fingerprint },
    Ran { input: Digest, nth: u32, seen: Seen },
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Another batch was begun there.
    #[error("another batch was begun there, with other {}", .0.join(", "))]
    Other(Vec<String>),
    /// Another process is at work there.
    #[error("another batch is at work there")]
    Busy,
    /// It is not such a file, or of a later version.
    #[error("it is no log of a batch that this version can read")]
    Unreadable,
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The runs of a batch. As long as it is open, no other process can open it.
#[derive(Debug)]
pub struct RunLog {
    file: File,
    seen: BTreeMap<Digest, BTreeMap<u32, Seen>>,
}

impl RunLog {
    /// Opens the log of a batch for which these facts hold, or begins one.
    ///
    /// # Errors
    /// If it belongs to a batch for which others hold, or cannot be used.
    pub fn open(path: &Path, facts: &Fingerprint) -> Result<Self, LogError> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        lock_patiently(&file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut lines = bytes[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let mut log = Self { file, seen: BTreeMap::new() };
        let Some(first) = lines.next() else {
            if bytes.len() > whole && !bytes.starts_with(b"{\"begun\"") {
                return Err(LogError::Unreadable);
            }
            log.cut(0)?;
            log.write(&Line::Begun { format: FORMAT, facts: facts.clone() })?;
            return Ok(log);
        };
        let Ok(Line::Begun { format: FORMAT, facts: then }) = serde_json::from_slice(first) else {
            return Err(LogError::Unreadable);
        };
        let all = then.keys().chain(facts.keys());
        let mut changed: Vec<String> =
            all.filter(|name| then.get(*name) != facts.get(*name)).cloned().collect();
        changed.sort();
        changed.dedup();
        if !changed.is_empty() {
            return Err(LogError::Other(changed));
        }
        for line in lines {
            match serde_json::from_slice(line) {
                Ok(Line::Ran { input, nth, seen }) => log.remember(input, nth, seen),
                _ => return Err(LogError::Unreadable),
            }
        }
        log.cut(whole as u64)?;
        Ok(log)
    }

    /// Removes a torn line.
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length)).map(drop)
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        self.file.sync_data()
    }

    fn remember(&mut self, input: Digest, nth: u32, seen: Seen) {
        self.seen.entry(input).or_default().insert(nth, seen);
    }

    /// Adds what the `nth` run of an input has shown.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, input: &Digest, nth: u32, seen: Seen) -> io::Result<()> {
        self.write(&Line::Ran { input: input.clone(), nth, seen: seen.clone() })?;
        self.remember(input.clone(), nth, seen);
        Ok(())
    }

    /// Returns whether the `nth` run of an input is known.
    pub fn knows(&self, input: &Digest, nth: u32) -> bool {
        self.seen.get(input).is_some_and(|runs| runs.contains_key(&nth))
    }

    /// Returns what the runs of an input have shown, in the order of their numbers.
    pub fn runs(&self, input: &Digest) -> Vec<&Seen> {
        self.seen.get(input).map_or_else(Vec::new, |runs| runs.values().collect())
    }

    /// Returns how many runs there were.
    pub fn len(&self) -> usize {
        self.seen.values().map(BTreeMap::len).sum()
    }
}

/// Takes the lock of a log. A process that a killed batch was just starting holds it for a moment
/// longer than the batch itself.
fn lock_patiently(file: &File) -> Result<(), LogError> {
    for _ in 0..PATIENCE {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    Err(LogError::Busy)
}

impl Drop for RunLog {
    fn drop(&mut self) {
        // A process that another thread has just forked would hold the lock a little longer.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_goes_on_after_a_torn_line_and_only_for_the_same_batch() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("runs");
        let facts = |text: &str| Fingerprint::from([("the program".to_owned(), text.to_owned())]);
        let input = Digest::of(b"x");
        let mut log = RunLog::open(&path, &facts("a")).unwrap();
        log.add(&input, 0, Seen::Passed).unwrap();
        assert!(matches!(RunLog::open(&path, &facts("a")), Err(LogError::Busy)));
        log.file.write_all(b"{\"ran\":{\"inp").unwrap();
        drop(log);
        let mut log = RunLog::open(&path, &facts("a")).unwrap();
        assert_eq!(log.runs(&input), [&Seen::Passed]);
        log.add(&input, 1, Seen::Hung).unwrap();
        drop(log);
        let log = RunLog::open(&path, &facts("a")).unwrap();
        assert_eq!(log.runs(&input), [&Seen::Passed, &Seen::Hung]);
        drop(log);
        let Err(LogError::Other(changed)) = RunLog::open(&path, &facts("b")) else {
            panic!("another program")
        };
        assert_eq!(changed, ["the program"]);
    }
}
