//! Who is asked something that is no test; programs that propose candidates.

pub(crate) mod program;

use minirepro_engine::{Consultation, Said};

use crate::CancelToken;

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
