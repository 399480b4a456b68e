//! The messages between a run and its agents.

use std::time::Duration;

use minirepro_engine::Outcome;
use serde::{Deserialize, Serialize};

use crate::frame::{FrameError, encode};
use minirepro_runner::{
    Description, Digest, Excess, Fingerprint, Observation, Signature, TestEnd, Told,
};

/// The version of all messages but the first: an agent's greeting is understood by all versions.
pub const PROTOCOL: u32 = 1;

/// What a run says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ToAgent {
    /// The test, once. The body holds its files.
    Test(Box<Description>),
    /// A candidate to test, which is the body.
    Candidate(Candidate),
    /// The answer to this candidate is no longer wanted.
    Cancel {
        /// Its number.
        id: u64,
    },
    /// The run is still there.
    Alive,
    #[serde(untagged)]
    Unknown(serde_json::Value),
}

/// A candidate that is the body of its message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Candidate {
    /// A number that no candidate had before.
    pub id: u64,
    pub digest: Digest,
    /// Whether the last lines of a test that does not reproduce are wanted.
    pub explain: bool,
}

/// What an agent says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FromAgent {
    /// Its greeting, which comes first.
    Hello(Hello),
    /// It has the test, and these are the programs that the test names, by their contents.
    Ready {
        /// The digests.
        tools: Fingerprint,
    },
    /// It cannot run the test.
    Unusable {
        /// Why not.
        why: String,
    },
    /// The answer to a candidate.
    Answer(Answer),
    /// There is no answer to a candidate, since the test does not work.
    Broken(Broken),
    /// It is still there.
    Alive,
    #[serde(untagged)]
    Unknown(serde_json::Value),
}

/// The greeting of an agent. Later versions may only add fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the messages that follow.
    pub protocol: u32,
    /// The version of its program.
    pub minirepro: String,
    /// How many tests it runs at the same time.
    pub jobs: usize,
    /// The name of its machine.
    pub host: String,
    /// Its system and processor, such as `linux x86_64`.
    pub system: String,
}

/// The answer to a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub id: u64,
    pub outcome: Told,
    pub end: End,
    /// From the start of the test to its end; not the time in a queue.
    pub seconds: f64,
    /// How it failed, if not as it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Signature>,
    /// How often guards were run.
    #[serde(default)]
    pub guards: u64,
    /// The last lines that it wrote, if they were wanted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// The test does not work, whatever the candidate is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Broken {
    pub id: u64,
    pub why: String,
    /// Its exit code, if it says so itself.
    pub code: Option<i32>,
    /// The last lines that it wrote.
    pub output: String,
}

/// How a test ended, as it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum End {
    Exited(i32),
    Signaled(i32),
    TimedOut,
    TooMuchOutput,
    TooMuchMemory,
    Stopped,
}

/// Returns whether a message that is not understood says that it is one of a kind that is.
pub(crate) fn is_known_kind(message: &serde_json::Value) -> bool {
    const KINDS: [&str; 5] = ["hello", "ready", "unusable", "answer", "broken"];
    KINDS.iter().any(|kind| message.get(kind).is_some())
}

impl From<TestEnd> for End {
    fn from(end: TestEnd) -> Self {
        match end {
            TestEnd::Exited(code) => Self::Exited(code),
            TestEnd::Signaled(signal) => Self::Signaled(signal),
            TestEnd::TimedOut => Self::TimedOut,
            TestEnd::Exceeded(Excess::Output) => Self::TooMuchOutput,
            TestEnd::Exceeded(Excess::Memory) => Self::TooMuchMemory,
            TestEnd::Stopped => Self::Stopped,
        }
    }
}

impl From<End> for TestEnd {
    fn from(end: End) -> Self {
        match end {
            End::Exited(code) => Self::Exited(code),
            End::Signaled(signal) => Self::Signaled(signal),
            End::TimedOut => Self::TimedOut,
            End::TooMuchOutput => Self::Exceeded(Excess::Output),
            End::TooMuchMemory => Self::Exceeded(Excess::Memory),
            End::Stopped => Self::Stopped,
        }
    }
}

impl Answer {
    pub fn observation(&self) -> Observation {
        // An agent may send any number.
        let time = Duration::try_from_secs_f64(self.seconds).unwrap_or_default();
        Observation { outcome: Outcome::from(self.outcome), ending: self.end.into(), time }
    }
}

/// Returns the bytes of a message with its body.
///
/// # Errors
/// If it is too long.
pub(crate) fn frame(message: &impl Serialize, body: &[u8]) -> Result<Vec<u8>, FrameError> {
    // Nothing in a message is a map whose keys are no strings.
    let message = serde_json::to_vec(message).unwrap_or_default();
    encode(&message, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_look_like_this() {
        let shown = |message: &FromAgent| serde_json::to_string(message).unwrap();
        let hello = Hello {
            protocol: 1,
            minirepro: "0.1.0".into(),
            jobs: 8,
            host: "node1".into(),
            system: "linux x86_64".into(),
        };
        assert_eq!(
            shown(&FromAgent::Hello(hello)),
            r#"{"hello":{"protocol":1,"minirepro":"0.1.0","jobs":8,"host":"node1","system":"linux x86_64"}}"#
        );
        let answer = Answer {
            id: 7,
            outcome: Told::Reproduced,
            end: End::Exited(0),
            seconds: 0.25,
            failure: None,
            guards: 0,
            output: String::new(),
        };
        assert_eq!(
            shown(&FromAgent::Answer(answer)),
            r#"{"answer":{"id":7,"outcome":"reproduced","end":{"exited":0},"seconds":0.25,"guards":0}}"#
        );
        let candidate = Candidate { id: 7, digest: Digest::of(b""), explain: false };
        assert_eq!(
            serde_json::to_string(&ToAgent::Candidate(candidate)).unwrap(),
            r#"{"candidate":{"id":7,"digest":"99aa06d3014798d86001c324468d497f","explain":false}}"#
        );
        let later: FromAgent = serde_json::from_str(r#"{"weather":"fine"}"#).unwrap();
        assert!(matches!(later, FromAgent::Unknown(_)));
        assert_eq!(shown(&FromAgent::Alive), r#""alive""#);
    }

    #[test]
    fn every_end_of_a_test_comes_back() {
        for end in [
            TestEnd::Exited(3),
            TestEnd::Signaled(11),
            TestEnd::TimedOut,
            TestEnd::Exceeded(Excess::Output),
            TestEnd::Exceeded(Excess::Memory),
            TestEnd::Stopped,
        ] {
            let text = serde_json::to_string(&End::from(end)).unwrap();
            assert_eq!(TestEnd::from(serde_json::from_str::<End>(&text).unwrap()), end);
        }
    }
}
