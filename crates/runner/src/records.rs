//! The records of a journal, as they are written. Version 1; records and fields may be added, and
//! readers skip records that they don't know.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use minirepro_engine::{Outcome, Report};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::{Ending, Observation, Reliability};

/// The version of the records.
pub(crate) const VERSION: u32 = 1;

/// What decides a run, by name: equal facts and equal answers give equal results.
pub type Facts = BTreeMap<String, String>;

/// How a run was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub(crate) version: u32,
    /// The program's version.
    pub minirepro: String,
    directory: Word,
    arguments: Vec<Word>,
    input: Digest,
    /// What decides the answers of the test.
    pub test: Facts,
    /// What else decides the run.
    pub plan: Facts,
}

/// A word of a command line; few are no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Bytes(Vec<u8>),
}

/// 128 bits of XXH3 over some bytes, as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest(String);

/// What the tests before the search have shown.
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
    /// The answer to what should pass, where there is such an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passing: Option<Told>,
}

/// How a run ended, unless it was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Why it ended early.
    pub stopped: Option<String>,
    /// The result.
    pub result: Digest,
    /// Its size.
    pub bytes: u64,
    /// Tests that decided something.
    pub tests: u64,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Record {
    Run(Box<Header>),
    Start(Start),
    Answer(Answer),
    End(End),
    #[serde(untagged)]
    Unknown(serde_json::Value),
}

/// The answer of one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub candidate: Digest,
    pub outcome: Told,
    pub seconds: f64,
    /// We ended the test because its time was up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timeout: bool,
}

/// An [`Outcome`] in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// Fail.
    Reproduced,
    /// Pass.
    NotReproduced,
    /// Neither.
    Unresolved,
}

impl Header {
    /// For a run in this directory with these arguments on these bytes.
    pub fn new(
        minirepro: &str,
        directory: &Path,
        arguments: &[OsString],
        input: &[u8],
        test: Facts,
        plan: Facts,
    ) -> Self {
        Self {
            version: VERSION,
            minirepro: minirepro.to_owned(),
            directory: Word::new(directory.as_os_str()),
            arguments: arguments.iter().map(|word| Word::new(word)).collect(),
            input: Digest::of(input),
            test,
            plan,
        }
    }

    /// Where the run was started.
    pub fn directory(&self) -> PathBuf {
        self.directory.to_os().into()
    }

    /// With which arguments.
    pub fn arguments(&self) -> Vec<OsString> {
        self.arguments.iter().map(Word::to_os).collect()
    }

    /// What makes another run a different one, in words: nothing if the answers of one hold for the
    /// other and lead to the same result.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let input = (self.input != other.input).then(|| "the input".to_owned());
        let names = |a: &Facts, b: &Facts| {
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

impl Word {
    fn new(word: &OsStr) -> Self {
        match word.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(word.as_bytes().to_owned()),
        }
    }

    fn to_os(&self) -> OsString {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }
}

impl Digest {
    /// Of these bytes; some 10 GB/s.
    pub fn of(bytes: &[u8]) -> Self {
        Self(format!("{:032x}", xxh3_128(bytes)))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Answer {
    pub(crate) fn new(candidate: Digest, report: Report) -> Self {
        Self {
            candidate,
            outcome: report.outcome.into(),
            seconds: (report.time.as_secs_f64() * 1e6).round() / 1e6,
            timeout: report.timed_out,
        }
    }

    pub(crate) fn of(candidate: Digest, seen: &Observation) -> Self {
        let Observation { outcome, ending, time } = *seen;
        let timed_out = ending == Ending::TimedOut;
        Self::new(candidate, Report { outcome, time, timed_out })
    }

    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }
}

impl From<Outcome> for Told {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fail => Self::Reproduced,
            Outcome::Pass => Self::NotReproduced,
            Outcome::Unresolved => Self::Unresolved,
        }
    }
}

impl From<Told> for Outcome {
    fn from(told: Told) -> Self {
        match told {
            Told::Reproduced => Self::Fail,
            Told::NotReproduced => Self::Pass,
            Told::Unresolved => Self::Unresolved,
        }
    }
}
