//! Programs that propose candidates: the lines that are exchanged with one, its process, and the record of
//! what it has said.
//!
//! The protocol is that of Shrink Ray for external reducers, with further fields and one more form of answer;
//! see the guide's chapter `proposers`.

pub(crate) mod program;
mod protocol;
pub(crate) mod recorded;

use minirepro_engine::{Consultation, Said};

use crate::{CancelToken, OracleError};

/// Somebody who proposes candidates.
pub trait Proposer: Send {
    /// Returns what it is called, in messages and for telling runs apart.
    fn name(&self) -> String;

    /// Returns what to try next; `None` if `stop` was set before there was an answer.
    fn consult(&mut self, consultation: &Consultation, stop: &CancelToken) -> Option<Said>;

    /// Returns the last of what it has written to explain itself, for messages.
    fn last_words(&mut self) -> String {
        String::new()
    }
}

/// The error for a consultation without an answer.
#[derive(Debug, thiserror::Error)]
pub enum ConsultError {
    /// It was interrupted.
    #[error("interrupted")]
    Stopped,
    /// The journal of the run that is decided again holds no answer.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}
