//! What proposers have said, as it is written.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minirepro_engine::{Gone, Said};
use serde::{Deserialize, Serialize};

/// What a proposer said, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SaidRecord {
    /// Candidates, as base64, after which it has more to say.
    Candidates(Vec<String>),
    /// The same, after which it has no more to say.
    LastCandidates(Vec<String>),
    /// Nothing more.
    Idle,
    /// It cannot be asked again.
    NotStarted,
    /// The same.
    Ended,
    /// The same.
    Silent,
    /// The same.
    Unclear,
}

impl From<&Said> for SaidRecord {
    fn from(said: &Said) -> Self {
        match said {
            Said::Candidates { texts, more } => {
                let texts = texts.iter().map(|text| STANDARD.encode(text)).collect();
                if *more { Self::Candidates(texts) } else { Self::LastCandidates(texts) }
            }
            Said::Idle => Self::Idle,
            Said::Gone(Gone::NotStarted) => Self::NotStarted,
            Said::Gone(Gone::Ended) => Self::Ended,
            Said::Gone(Gone::Silent) => Self::Silent,
            Said::Gone(Gone::Unclear) => Self::Unclear,
        }
    }
}

impl From<SaidRecord> for Said {
    fn from(record: SaidRecord) -> Self {
        match record {
            SaidRecord::Candidates(texts) => {
                Self::Candidates { texts: decoded(&texts), more: true }
            }
            SaidRecord::LastCandidates(texts) => {
                Self::Candidates { texts: decoded(&texts), more: false }
            }
            SaidRecord::Idle => Self::Idle,
            SaidRecord::NotStarted => Self::Gone(Gone::NotStarted),
            SaidRecord::Ended => Self::Gone(Gone::Ended),
            SaidRecord::Silent => Self::Gone(Gone::Silent),
            SaidRecord::Unclear => Self::Gone(Gone::Unclear),
        }
    }
}

fn decoded(texts: &[String]) -> Vec<Arc<[u8]>> {
    texts.iter().filter_map(|text| STANDARD.decode(text).ok()).map(Into::into).collect()
}
