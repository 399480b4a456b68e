//! The search over the circumstances of one level, as a value that can be cloned to look ahead.

use minirepro_search::{Algorithm, Configuration, Dd, Outcome, Search, minimizer};

/// The aim of an isolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The difference between passing and failing (dd: Zeller & Hildebrandt 2002): both ends move.
    Isolate,
    /// A minimal candidate that still fails: only the failing end moves.
    Minimize(Algorithm),
}

/// A search for a goal.
#[derive(Clone)]
pub(crate) enum LevelSearch {
    Isolate(Dd),
    Minimize(Box<dyn Search>),
}

/// The circumstances of two candidates.
pub(crate) struct Ends {
    /// Those of the candidate that passes; none when minimising.
    pub passing: Configuration,
    /// Those of the candidate that fails.
    pub failing: Configuration,
}

impl LevelSearch {
    /// Begins a search over as many circumstances as there are weights.
    pub(crate) fn new(goal: Goal, weights: &[u32]) -> Self {
        match goal {
            Goal::Isolate => Self::Isolate(Dd::new(weights.len())),
            Goal::Minimize(algorithm) => Self::Minimize(minimizer(algorithm, weights)),
        }
    }

    /// Returns the circumstances of the next candidate; `None` when the search is done.
    pub(crate) fn ask(&self) -> Option<Configuration> {
        match self {
            Self::Isolate(dd) => dd.ask(),
            Self::Minimize(search) => search.ask(),
        }
    }

    /// Takes the answer to [`ask`](Self::ask).
    pub(crate) fn tell(&mut self, outcome: Outcome) {
        match self {
            Self::Isolate(dd) => dd.tell(outcome),
            Self::Minimize(search) => search.tell(outcome),
        }
    }

    /// Returns how many circumstances are in question: the difference, or all of the failing end.
    pub(crate) fn left(&self) -> usize {
        match self {
            Self::Isolate(dd) => dd.difference().len(),
            Self::Minimize(search) => search.kept().len(),
        }
    }

    /// Returns the circumstances of both ends.
    pub(crate) fn ends(&self) -> Ends {
        match self {
            Self::Isolate(dd) => {
                Ends { passing: dd.passing().clone(), failing: dd.kept().clone() }
            }
            Self::Minimize(search) => {
                let failing = search.kept().clone();
                Ends { passing: Configuration::none(failing.universe()), failing }
            }
        }
    }
}
