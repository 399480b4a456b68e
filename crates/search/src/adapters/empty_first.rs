//! Asks for the empty configuration before any other question.

use crate::machine::Machine;
use crate::{Configuration, Outcome};

/// A search that takes for granted that the empty configuration does not fail, after a test that
/// it does not.
///
/// The papers assume it of whole inputs; in a list somewhere in an input, all may be removable.
#[derive(Clone)]
pub struct EmptyFirst<M> {
    search: M,
    empty: Configuration,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unasked,
    Empty,
    Searching,
}

#[expect(private_bounds, reason = "Machine is how this crate implements Minimizer")]
impl<M: Machine> EmptyFirst<M> {
    /// Asks the empty configuration, and if that does not fail, goes on with `search`.
    pub fn new(search: M) -> Self {
        let empty = Configuration::none(search.best().universe());
        let state = if empty.universe() == 0 { State::Empty } else { State::Unasked };
        Self { search, empty, state }
    }
}

impl<M: Machine> Machine for EmptyFirst<M> {
    fn question(&self) -> Option<Configuration> {
        match self.state {
            State::Unasked => Some(self.empty.clone()),
            State::Empty => None,
            State::Searching => self.search.question(),
        }
    }

    fn answer(&mut self, outcome: Outcome) {
        match (self.state, outcome) {
            (State::Searching, _) => self.search.answer(outcome),
            (_, Outcome::Fail) => self.state = State::Empty,
            _ => self.state = State::Searching,
        }
    }

    fn best(&self) -> &Configuration {
        if self.state == State::Empty { &self.empty } else { self.search.best() }
    }
}
