//! What an experiment searches for, as one value that can be cloned to look ahead. Knows searches,
//! no candidates.

use minirepro_search::{Algorithm, Configuration, Dd, Minimizer, Outcome, Search, minimizer};

/// What an experiment is to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The difference between passing and failing (dd): both ends move.
    Isolate,
    /// The least that still fails: only the failing end moves.
    Minimize(Algorithm),
}

/// A search for a goal.
#[derive(Clone)]
pub(crate) enum Quest {
    Isolate(Dd),
    Minimize(Box<dyn Minimizer>),
}

impl Quest {
    /// Over as many circumstances as there are weights.
    pub(crate) fn new(goal: Goal, weights: &[u32]) -> Self {
        match goal {
            Goal::Isolate => Self::Isolate(Dd::new(weights.len())),
            Goal::Minimize(algorithm) => Self::Minimize(minimizer(algorithm, weights)),
        }
    }

    pub(crate) fn ask(&self) -> Option<Configuration> {
        match self {
            Self::Isolate(dd) => dd.ask(),
            Self::Minimize(search) => search.ask(),
        }
    }

    pub(crate) fn tell(&mut self, outcome: Outcome) {
        match self {
            Self::Isolate(dd) => dd.tell(outcome),
            Self::Minimize(search) => search.tell(outcome),
        }
    }

    /// How many circumstances are in question: the difference, or all that is kept.
    pub(crate) fn left(&self) -> usize {
        match self {
            Self::Isolate(dd) => dd.difference().len(),
            Self::Minimize(search) => search.kept().len(),
        }
    }

    /// What passes, or the least there is, and what fails.
    pub(crate) fn ends(&self) -> (Configuration, Configuration) {
        match self {
            Self::Isolate(dd) => (dd.passing().clone(), dd.failing().clone()),
            Self::Minimize(search) => {
                let kept = search.kept().clone();
                (Configuration::none(kept.universe()), kept)
            }
        }
    }

    /// Whether this outcome moves an end.
    pub(crate) fn is_moved_by(&self, outcome: Outcome) -> bool {
        match self {
            Self::Isolate(_) => outcome != Outcome::Unresolved,
            Self::Minimize(_) => outcome == Outcome::Fail,
        }
    }
}

/// A possible future of a search.
pub(crate) struct Future {
    /// How many of the answers on the way to it are guesses.
    pub guesses: usize,
    /// How often an end has moved by then.
    pub moves: u64,
    pub order: u64,
    pub quest: Quest,
}

impl PartialEq for Future {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Future {}

impl PartialOrd for Future {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Future {
    /// Few guesses are greater, then those found first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.guesses, other.order).cmp(&(self.guesses, self.order))
    }
}
