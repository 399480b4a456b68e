//! What proposers have said, in the journal: a run that goes on, or is decided again, does not ask again.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minirepro_engine::{Consultation, Gone, Said};
use serde::{Deserialize, Serialize};

use crate::journal::answer_store::AnswerStore;
use crate::propose::{ConsultError, Proposer};
use crate::{CancelToken, OracleError};

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

impl AnswerStore {
    /// Returns what a proposer says: what it said in the run that goes on, as far as that is recorded; then
    /// it is asked, and its answer recorded.
    ///
    /// # Errors
    /// If `stop` was set before there was an answer, or nobody may be asked.
    pub fn consult(
        &self,
        proposers: &mut [Box<dyn Proposer>],
        consultation: &Consultation,
        stop: &CancelToken,
    ) -> Result<Heard, ConsultError> {
        if let Some(said) = self.said_before() {
            return Ok(Heard { said: said.into(), is_new: false });
        }
        if self.is_replay() {
            return Err(OracleError::JournalExhausted.into());
        }
        let said = match proposers.get_mut(consultation.proposer) {
            Some(proposer) => proposer.consult(consultation, stop).ok_or(ConsultError::Stopped)?,
            None => Said::Gone(Gone::NotStarted),
        };
        self.record_said(SaidRecord::from(&said));
        Ok(Heard { said, is_new: true })
    }
}

/// What a proposer has said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What it has said.
    pub said: Said,
    /// Whether it has said it now, not in the run that goes on.
    pub is_new: bool,
}
