//! Proposers whose answers are kept in the answer store: a run that goes on, or is decided again,
//! does not ask again what is in its journal.

use minirepro_engine::{Consultation, Gone, Said, Whom};

use crate::journal::answer_store::AnswerStore;
use crate::journal::said::SaidRecord;
use crate::{Advisers, CancelToken, ConsultError, OracleError};

impl AnswerStore {
    /// Returns what a proposer says: what it said in the run that goes on, as far as that is
    /// recorded; then it is asked, and its answer recorded.
    ///
    /// # Errors
    /// If `stop` was set before there was an answer, or nobody may be asked.
    pub fn consult(
        &self,
        advisers: &mut Advisers,
        consultation: &Consultation,
        stop: &CancelToken,
    ) -> Result<Heard, ConsultError> {
        if let Some(said) = self.said_before() {
            return Ok(Heard { said: said.into(), is_new: false });
        }
        if self.is_replay() {
            return Err(OracleError::JournalExhausted.into());
        }
        let gone = Some(Said::Gone(Gone::NotStarted));
        let said = match consultation.whom {
            Whom::Proposer(number) => match advisers.proposers.get_mut(number) {
                Some(proposer) => proposer.consult(consultation, stop),
                None => gone,
            },
            Whom::Informant => match &advisers.informant {
                Some(informant) => informant.consult(&consultation.text, stop),
                None => gone,
            },
            Whom::Analyser => match &advisers.informant {
                Some(informant) => informant.unreferenced(&consultation.text, stop),
                None => gone,
            },
        };
        let said = said.ok_or(ConsultError::Stopped)?;
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
