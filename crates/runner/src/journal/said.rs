//! What proposers have said, as it is written.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minirepro_engine::{Gone, Message, Said, Unreferenced};
use serde::{Deserialize, Serialize};

/// What a proposer said, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SaidRecord {
    /// Candidates, as base64.
    Candidates(Vec<String>),
    /// The messages of an informant.
    Messages(Vec<MessageRecord>),
    /// The lines and columns of what nothing refers to, and whether that is only a body.
    Unreferenced(Vec<(u32, u32, bool)>),
    /// It cannot be asked again.
    NotStarted,
    /// The same.
    Silent,
    /// The same.
    Unclear,
}

/// A message of an informant, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MessageRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    quoted: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
}

impl From<&Message> for MessageRecord {
    fn from(message: &Message) -> Self {
        let texts = |words: &[Arc<str>]| words.iter().map(|word| word.to_string()).collect();
        let Message { place, quoted, others } = message;
        Self { place: *place, quoted: texts(quoted), others: texts(others) }
    }
}

impl From<MessageRecord> for Message {
    fn from(record: MessageRecord) -> Self {
        let words = |texts: Vec<String>| texts.into_iter().map(Into::into).collect();
        let MessageRecord { place, quoted, others } = record;
        Self { place, quoted: words(quoted), others: words(others) }
    }
}

impl From<&Said> for SaidRecord {
    fn from(said: &Said) -> Self {
        match said {
            Said::Candidates(texts) => {
                Self::Candidates(texts.iter().map(|text| STANDARD.encode(text)).collect())
            }
            Said::Messages(messages) => {
                Self::Messages(messages.iter().map(MessageRecord::from).collect())
            }
            Said::Unreferenced(found) => {
                let written = |&Unreferenced { place: (line, column), is_body }: &Unreferenced| {
                    (line, column, is_body)
                };
                Self::Unreferenced(found.iter().map(written).collect())
            }
            Said::Gone(Gone::NotStarted) => Self::NotStarted,
            Said::Gone(Gone::Silent) => Self::Silent,
            Said::Gone(Gone::Unclear) => Self::Unclear,
        }
    }
}

impl From<SaidRecord> for Said {
    fn from(record: SaidRecord) -> Self {
        match record {
            SaidRecord::Candidates(texts) => Self::Candidates(decoded(&texts)),
            SaidRecord::Messages(messages) => {
                Self::Messages(messages.into_iter().map(Message::from).collect())
            }
            SaidRecord::Unreferenced(found) => {
                let read =
                    |(line, column, is_body)| Unreferenced { place: (line, column), is_body };
                Self::Unreferenced(found.into_iter().map(read).collect())
            }
            SaidRecord::NotStarted => Self::Gone(Gone::NotStarted),
            SaidRecord::Silent => Self::Gone(Gone::Silent),
            SaidRecord::Unclear => Self::Gone(Gone::Unclear),
        }
    }
}

fn decoded(texts: &[String]) -> Vec<Arc<[u8]>> {
    texts.iter().filter_map(|text| STANDARD.decode(text).ok()).map(Into::into).collect()
}
