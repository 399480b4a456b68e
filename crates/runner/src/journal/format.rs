//! The records of a journal, as they are written.
//!
//! See [`crate::journal`] for their order and for what may change without a new version.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use minirepro_engine::{Outcome, Said, StopReason};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::{Observation, Reliability, TestEnd};

/// The version of the records.
pub(crate) const VERSION: u32 = 1;

/// The facts that decide a run, by name: equal facts and equal answers give equal results.
pub type Fingerprint = BTreeMap<String, String>;

/// How a run was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub(crate) version: u32,
    /// The version of the program that began the run.
    pub minirepro: String,
    /// The directory in which the run was started.
    #[serde(with = "any_path")]
    pub directory: PathBuf,
    /// The arguments with which it was started.
    #[serde(with = "any_words")]
    pub arguments: Vec<OsString>,
    input: Digest,
    /// The facts that decide the answers of the test.
    pub test: Fingerprint,
    /// All other facts that decide the run.
    pub plan: Fingerprint,
}

/// A word of a command line; a few are not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Bytes(Vec<u8>),
}

/// 128 bits of XXH3 over some bytes, as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest(String);

/// The findings of the tests before the search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The time that a test may take, in seconds.
    pub time_limit: f64,
    /// The time of the slowest test of the input, in seconds.
    pub slowest: f64,
    /// How many tests there were before the search.
    pub tests: u64,
    /// How often single tests of the input reproduced, where that was measured.
    #[serde(default)]
    pub reliability: Option<Reliability>,
    /// The answer to the candidate that should pass, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passing: Option<Outcome>,
}

/// How a run ended, unless it was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Why it ended early, if it did.
    pub stopped: Option<StopReason>,
    /// The result.
    pub result: Digest,
    /// Its size.
    pub bytes: u64,
    /// Tests that decided something.
    pub tests: u64,
}

impl Start {
    /// Returns whether these are times that tests can have taken.
    pub(crate) fn is_possible(&self) -> bool {
        [self.time_limit, self.slowest].iter().all(|seconds| (0.0..=LONGEST).contains(seconds))
    }
}

/// More seconds than any test has taken.
const LONGEST: f64 = 1e12;

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// How the run was started; the first one.
    Run(Box<Header>),
    /// What the tests before the search have shown.
    Start(Start),
    /// What a test has answered.
    Answer(Answer),
    /// What a proposer has said.
    Said(Said),
    /// What a run of many reductions has seen or done, in its own words.
    Noted(serde_json::Value),
    /// How the run ended.
    End(End),
    #[serde(untagged)]
    /// What a later version has written.
    Unknown(serde_json::Value),
}

/// The answer of one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What was tested.
    pub candidate: Digest,
    /// The answer.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
    /// Whether the test was ended because its time was up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timeout: bool,
    /// Whether a worker gave it, and this machine has not confirmed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unconfirmed: bool,
}

impl Header {
    /// Describes a run that was started in this directory with these arguments on these bytes.
    pub fn new(
        minirepro: &str,
        directory: &Path,
        arguments: &[OsString],
        input: &[u8],
        test: Fingerprint,
        plan: Fingerprint,
    ) -> Self {
        Self {
            version: VERSION,
            minirepro: minirepro.to_owned(),
            directory: directory.to_owned(),
            arguments: arguments.to_vec(),
            input: Digest::of(input),
            test,
            plan,
        }
    }

    /// Returns the names of the facts in which another run differs, sorted. There are none if the
    /// answers of one run hold for the other and lead to the same result.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let input = (self.input != other.input).then(|| "the input".to_owned());
        let names = |a: &Fingerprint, b: &Fingerprint| {
            let different = |(name, value): (&String, &String)| {
                (b.get(name) != Some(value)).then(|| name.clone())
            };
            a.iter().filter_map(different).collect::<Vec<_>>()
        };
        let mut all: Vec<String> = input.into_iter().collect();
        for (ours, theirs) in [(&self.test, &other.test), (&self.plan, &other.plan)] {
            all.extend(names(ours, theirs));
            all.extend(names(theirs, ours));
        }
        all.sort();
        all.dedup();
        all
    }
}

impl From<&OsStr> for Word {
    fn from(word: &OsStr) -> Self {
        match word.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(word.as_bytes().to_owned()),
        }
    }
}

impl From<Word> for OsString {
    fn from(word: Word) -> Self {
        match word {
            Word::Text(text) => text.into(),
            Word::Bytes(bytes) => Self::from_vec(bytes),
        }
    }
}

/// Writes paths and words that may be no text.
pub mod any_path {
    use std::ffi::{OsStr, OsString};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Word;

    /// # Errors
    /// As the format has them.
    pub fn serialize<S: Serializer>(path: &impl AsRef<OsStr>, to: S) -> Result<S::Ok, S::Error> {
        Word::from(path.as_ref()).serialize(to)
    }

    /// # Errors
    /// As the format has them.
    pub fn deserialize<'d, D: Deserializer<'d>, P: From<OsString>>(from: D) -> Result<P, D::Error> {
        Ok(OsString::from(Word::deserialize(from)?).into())
    }
}

/// Writes lists of words that may be no text.
pub(crate) mod any_words {
    use std::ffi::OsString;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::Word;

    pub fn serialize<S: Serializer>(words: &[OsString], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(words.iter().map(|word| Word::from(&**word)))
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<OsString>, D::Error> {
        Ok(Vec::<Word>::deserialize(from)?.into_iter().map(OsString::from).collect())
    }
}

impl Digest {
    /// Hashes these bytes, at some 10 GB/s.
    pub fn of(bytes: &[u8]) -> Self {
        Self::from(xxh3_128(bytes))
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<u128> for Digest {
    /// Writes XXH3-128 of some bytes as a digest.
    fn from(hash: u128) -> Self {
        Self(format!("{hash:032x}"))
    }
}

impl Answer {
    pub(crate) fn of(candidate: Digest, seen: &Observation) -> Self {
        Self {
            candidate,
            outcome: seen.outcome,
            seconds: (seen.time.as_secs_f64() * 1e6).round() / 1e6,
            timeout: seen.ending == TestEnd::TimedOut,
            unconfirmed: false,
        }
    }
}
