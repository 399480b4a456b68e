//! What a batch has seen and done so far: a fold over its log.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use minirepro_runner::{Digest, Fingerprint, RecordLog, Signature};
use serde::{Deserialize, Serialize};

use crate::batch::job::Record;
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
    /// A batch has begun for which these facts hold.
    Begun(Fingerprint),
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
    log: RecordLog,
    seen: BTreeMap<Digest, BTreeMap<u32, Seen>>,
    reduced: BTreeMap<(Digest, Option<u64>), Record>,
}

impl RunLog {
    /// Opens the log of a batch for which these facts hold, or begins one.
    ///
    /// # Errors
    /// If it belongs to a batch for which others hold, or cannot be used, as the message says.
    pub fn open(directory: &Path, facts: &Fingerprint) -> Result<Self, String> {
        let opened = RecordLog::open(directory, &Line::Begun(facts.clone()));
        let (log, lines) = opened.map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => "another batch is at work there".to_owned(),
            io::ErrorKind::InvalidData => {
                "it is no log of a batch that this version can read".to_owned()
            }
            _ => error.to_string(),
        })?;
        let mut new = Self { log, seen: BTreeMap::new(), reduced: BTreeMap::new() };
        for line in lines {
            if let Line::Begun(then) = &line {
                let all: BTreeSet<&String> = then.keys().chain(facts.keys()).collect();
                let changed = all.into_iter().filter(|name| then.get(*name) != facts.get(*name));
                let changed: Vec<&str> = changed.map(String::as_str).collect();
                if !changed.is_empty() {
                    let changed = changed.join(", ");
                    return Err(format!("another batch was begun there: {changed} changed"));
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

    /// Adds what a run or a reduction has shown.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, line: Line) -> io::Result<()> {
        self.log.add(&line)?;
        self.take(line);
        Ok(())
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
        log.add(Line::Ran { input: input.clone(), nth: 0, seen: Seen::Passed }).unwrap();
        let record = Box::new(Record { bytes: 7, ..Record::default() });
        log.add(Line::Reduced { job: input.clone(), until_tokens: None, record }).unwrap();
        drop(log);
        let log = RunLog::open(&path, &facts("a")).unwrap();
        assert_eq!((log.runs(&input), log.len()), (vec![&Seen::Passed], 1));
        assert_eq!(log.record(&input, Some(3)).map(|record| record.bytes), Some(7));
        drop(log);
        let other = RunLog::open(&path, &facts("b")).unwrap_err();
        assert_eq!(other, "another batch was begun there: the program changed");
    }
}
