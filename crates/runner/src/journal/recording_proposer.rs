//! Proposers whose answers are kept in the answer store: a run that goes on, or is decided again,
//! does not ask again what is in its journal.

use minirepro_engine::Said;

use crate::journal::answer_store::AnswerStore;
use crate::journal::format::{Answer, Digest};
use crate::{ConsultError, Observation, OracleError};

impl AnswerStore {
    /// Returns what somebody says who is asked something: what it said in the run that goes on, as
    /// far as that is recorded; then it is asked, and its answer recorded.
    ///
    /// # Errors
    /// If there is no answer since the run has to end, or nobody may be asked.
    pub fn consult(&self, ask: impl FnOnce() -> Option<Said>) -> Result<Heard, ConsultError> {
        if let Some(said) = self.said_before() {
            return Ok(Heard { said, is_new: false });
        }
        if self.is_replay() {
            return Err(OracleError::JournalExhausted.into());
        }
        let said = ask().ok_or(ConsultError::Stopped)?;
        self.record_said(said.clone());
        Ok(Heard { said, is_new: true })
    }

    /// Records the answer of a test that has been run for what it says, unless there is one.
    pub fn note(&self, candidate: &[u8], seen: &Observation) {
        let digest = Digest::of(candidate);
        if self.lookup(&digest).is_none() {
            self.record(Answer::of(digest, seen));
        }
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
