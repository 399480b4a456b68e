//! What a batch has seen and done so far: a fold over its log.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use minirepro_runner::{self as runner, Digest, Header, Journal, Signature};
use serde::{Deserialize, Serialize};

use crate::batch::error::BatchError;
use crate::batch::job::Record;
use crate::batch::request::STATE;
use crate::error::Error;
use crate::tester::subject::Test;

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

impl Seen {
    /// Returns how it failed, if it did.
    pub fn signature(&self) -> Option<Signature> {
        match self {
            Self::Failed(signature) => Some(signature.clone()),
            Self::Hung => Some(hang()),
            Self::Passed | Self::Unclear(_) => None,
        }
    }
}

/// A line of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// The `nth` run of an input has shown this.
    Ran { input: Digest, nth: u32, seen: Seen },
    /// A reduction has given this, which was to end at this many tokens.
    Reduced { job: Digest, until_tokens: Option<u64>, record: Box<Record> },
}

/// Returns the name of a signature, which is the same in all batches: the first 12 hexadecimal
/// digits of the XXH3 hash, of 128 bits, of its text.
pub fn signature_name(signature: &str) -> String {
    Digest::of(signature.as_bytes()).as_str()[..12].to_owned()
}

/// The signature of what a test accepts without a message that tells one failure from another.
pub fn accepted(test: &dyn Test) -> Signature {
    Signature::bare(&test.looks_for(), "exit code 0")
}

/// The signature of a program that does not end.
pub fn hang() -> Signature {
    Signature::bare("hang", "time limit")
}

/// The state of a batch. As long as it is open, no other process can open it.
#[derive(Debug)]
pub struct RunLog {
    journal: Journal,
    seen: BTreeMap<Digest, BTreeMap<u32, Seen>>,
    reduced: BTreeMap<(Digest, Option<u64>), Record>,
}

impl RunLog {
    /// Opens the journal of the batch with its results in this directory, or begins it.
    ///
    /// # Errors
    /// If it belongs to another batch, or cannot be used.
    pub fn open(output: &Path, header: Header) -> Result<Self, BatchError> {
        let (journal, past) = Journal::open(&output.join(STATE)).map_err(Error::from)?;
        let mut new = Self { journal, seen: BTreeMap::new(), reduced: BTreeMap::new() };
        let Some(past) = past else {
            new.journal.begin(header, b"").map_err(Error::from)?;
            return Ok(new);
        };
        let changed = past.header.differences(&header);
        if !changed.is_empty() {
            return Err(BatchError::Other(output.to_owned(), changed.join(", ")));
        }
        for noted in past.noted {
            new.take(serde_json::from_value(noted).map_err(io::Error::from)?);
        }
        Ok(new)
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Ran { input, nth, seen } => {
                self.seen.entry(input).or_default().insert(nth, seen);
            }
            Line::Reduced { job, until_tokens, record } => {
                self.reduced.insert((job, until_tokens), *record);
            }
        }
    }

    /// Adds what a run or a reduction has shown.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, line: Line) -> io::Result<()> {
        self.journal.add(&runner::Record::Noted(serde_json::to_value(&line)?));
        self.take(line);
        let wrong = |error: &io::Error| io::Error::new(error.kind(), error.to_string());
        self.journal.error().map_or(Ok(()), |error| Err(wrong(error)))
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
    use minirepro_runner::Fingerprint;

    use super::*;

    #[test]
    fn a_log_goes_on_only_for_the_same_batch() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path();
        let header = |text: &str| {
            let facts = [("the program".to_owned(), text.to_owned())].into();
            Header::new("", path, &[], b"", facts, Fingerprint::new())
        };
        let input = Digest::of(b"x");
        let mut log = RunLog::open(path, header("a")).unwrap();
        log.add(Line::Ran { input: input.clone(), nth: 0, seen: Seen::Passed }).unwrap();
        let record = Box::new(Record { bytes: 7, ..Record::default() });
        log.add(Line::Reduced { job: input.clone(), until_tokens: None, record }).unwrap();
        drop(log);
        let log = RunLog::open(path, header("a")).unwrap();
        assert_eq!((log.runs(&input), log.len()), (vec![&Seen::Passed], 1));
        assert_eq!(log.record(&input, Some(3)).map(|record| record.bytes), Some(7));
        drop(log);
        let other = RunLog::open(path, header("b")).unwrap_err().to_string();
        assert!(other.ends_with("another batch was begun there: the program changed"), "{other}");
    }
}
