//! The messages between a run and its agents.

use minirepro_engine::Outcome;
use minirepro_runner::{SentTest, Signature, TestEnd};
use serde::{Deserialize, Serialize};

/// What a run says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ToAgent {
    /// The test, once.
    Test(Box<SentTest>),
    /// A candidate to test.
    Candidate {
        /// A number that no candidate had before.
        id: u64,
        /// Whether the last lines of a test that does not reproduce are wanted.
        explain: bool,
        /// It, in base64.
        text: String,
    },
    /// The answer to this candidate is no longer wanted.
    Cancel {
        /// Its number.
        id: u64,
    },
}

/// What an agent says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FromAgent {
    /// Its greeting, which comes first.
    Hello(Hello),
    /// The answer to a candidate.
    Answer(Answer),
    /// There is no answer to a candidate, since the test does not work.
    Broken(Broken),
}

/// The greeting of an agent. Later versions may only add fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of its program.
    pub minirepro: String,
    /// How many tests it runs at the same time.
    pub jobs: u16,
    /// The name of its machine.
    pub host: String,
}

/// The answer to a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Its number.
    pub id: u64,
    /// The verdict on it.
    pub outcome: Outcome,
    /// How the test ended.
    pub end: TestEnd,
    /// From the start of the test to its end; not the time in a queue.
    pub seconds: f64,
    /// How it failed, if not as it should.
    pub failure: Option<Signature>,
    /// The last lines that it wrote, if they were wanted.
    pub output: String,
}

/// The test cannot be run, whatever the candidate is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Broken {
    pub id: u64,
    pub why: String,
    /// Its exit code, if it says so itself.
    pub code: Option<i32>,
    /// The last lines that it wrote.
    pub output: String,
}
