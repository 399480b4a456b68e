//! What a batch has seen and done so far: a fold over its log.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use minirepro_runner::{Digest, Fingerprint, RecordLog, Signature};
use serde::{Deserialize, Serialize};

use crate::batch::job::Record;

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

/// A line of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Begun(Fingerprint),
    Ran { input: Digest, nth: u32, seen: Seen },
    Reduced { job: Digest, until_tokens: Option<u64>, record: Box<Record> },
}

/// Returns the name of a signature, which is the same in all batches: the first 12 hexadecimal
/// digits of the XXH3 hash, of 128 bits, of its text.
pub fn signature_name(signature: &str) -> String {
    Digest::of(signature.as_bytes()).as_str()[..12].to_owned()
}

/// The signature of what a script accepts without a message that tells one failure from another.
pub fn accepted() -> Signature {
    Signature::bare("accepted by the test", "exit code 0")
}

/// The signature of a program that does not end.
pub fn hang() -> Signature {
    Signature::bare("hang", "time limit")
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
    Io(io::Error),
}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::WouldBlock => Self::Busy,
            io::ErrorKind::InvalidData => Self::Unreadable,
            _ => Self::Io(error),
        }
    }
}

/// The state of a batch. As long as it is open, no other process can open it.
#[derive(Debug)]
pub struct RunLog {
    log: RecordLog,
    seen: BTreeMap<Digest, BTreeMap<u32, Seen>>,
    reduced: BTreeMap<(Digest, Option<u64>), Record>,
}

impl RunLog {
    /// Opens the log of a batch for which these facts hold, or begins one.
    ///
    /// # Errors
    /// If it belongs to a batch for which others hold, or cannot be used.
    pub fn open(directory: &Path, facts: &Fingerprint) -> Result<Self, LogError> {
        let (log, lines) = RecordLog::open(directory, &Line::Begun(facts.clone()))?;
        let mut new = Self { log, seen: BTreeMap::new(), reduced: BTreeMap::new() };
        for line in lines {
            if let Line::Begun(then) = &line {
                let all = then.keys().chain(facts.keys());
                let mut changed: Vec<String> =
                    all.filter(|name| then.get(*name) != facts.get(*name)).cloned().collect();
                changed.sort();
                changed.dedup();
                if !changed.is_empty() {
                    return Err(LogError::Other(changed));
                }
            }
            new.take(line);
        }
        Ok(new)
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Begun(_) => {}
            Line::Ran { input, nth, seen } => {
                self.seen.entry(input).or_default().insert(nth, seen);
            }
            Line::Reduced { job, until_tokens, record } => {
                self.reduced.insert((job, until_tokens), *record);
            }
        }
    }

    fn add(&mut self, line: Line) -> io::Result<()> {
        self.log.add(&line)?;
        self.take(line);
        Ok(())
    }

    /// Adds what the `nth` run of an input has shown.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn ran(&mut self, input: &Digest, nth: u32, seen: Seen) -> io::Result<()> {
        self.add(Line::Ran { input: input.clone(), nth, seen })
    }

    /// Adds what a reduction has given, which was to end at this many tokens.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn reduced(
        &mut self,
        job: &Digest,
        until_tokens: Option<u64>,
        record: &Record,
    ) -> io::Result<()> {
        let (job, record) = (job.clone(), Box::new(record.clone()));
        self.add(Line::Reduced { job, until_tokens, record })
    }

    /// Returns what a reduction has given that was to end at this many tokens, or at its own end.
    pub fn record(&self, job: &Digest, until_tokens: Option<u64>) -> Option<&Record> {
        let of = |until_tokens| self.reduced.get(&(job.clone(), until_tokens));
        of(until_tokens).or_else(|| of(None))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_goes_on_only_for_the_same_batch() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("state");
        let facts = |text: &str| Fingerprint::from([("the program".to_owned(), text.to_owned())]);
        let input = Digest::of(b"x");
        let mut log = RunLog::open(&path, &facts("a")).unwrap();
        log.ran(&input, 0, Seen::Passed).unwrap();
        log.reduced(&input, None, &Record { bytes: 7, ..Record::default() }).unwrap();
        drop(log);
        let log = RunLog::open(&path, &facts("a")).unwrap();
        assert_eq!((log.runs(&input), log.len()), (vec![&Seen::Passed], 1));
        assert_eq!(log.record(&input, Some(3)).map(|record| record.bytes), Some(7));
        drop(log);
        let Err(LogError::Other(changed)) = RunLog::open(&path, &facts("b")) else {
            panic!("another program")
        };
        assert_eq!(changed, ["the program"]);
    }
}
