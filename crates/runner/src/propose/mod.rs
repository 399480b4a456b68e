//! Who is asked something that is no test; programs that propose candidates.

pub(crate) mod program;

use minirepro_engine::{Consultation, Said};

use crate::CancelToken;

/// Everybody who is asked something that is no test.
#[derive(Default)]
pub struct Advisers {
    /// Who is asked for candidates once no edit helps any more.
    pub proposers: Vec<Box<dyn Proposer>>,
    /// Who is asked for messages about candidates while a text is large.
    pub informant: Option<Box<dyn Informant>>,
}

/// Somebody who says what is wrong with a candidate, and decides nothing.
pub trait Informant: Send {
    /// Returns the messages about a candidate; `None` if `stop` was set before there were any.
    fn consult(&self, candidate: &[u8], stop: &CancelToken) -> Option<Said>;

    /// Returns what nothing in a text refers to, if a compiler is at hand that knows it; `None` if
    /// `stop` was set before there was an answer.
    fn unreferenced(&self, text: &[u8], stop: &CancelToken) -> Option<Said>;
}

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
