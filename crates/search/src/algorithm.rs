//! The algorithms by name. No other file may depend on all of them.

use std::fmt;

use crate::{
    Cdd, Ddmin, DdminComplements, EmptyFirst, Fragments, Groups, Minimizer, ProbDd, Recursive,
    Single,
};

/// Which algorithm to search with. Names are those of the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// `default`: [`Groups::search`].
    #[default]
    Default,
    /// `ddmin`: Zeller & Hildebrandt 2002.
    Ddmin,
    /// `ddmin-complements`: *Why Programs Fail*, ch. 5.
    DdminComplements,
    /// `recursive`: ddmin by recursion on halves.
    Recursive,
    /// `fragments`: each fragment of each length once.
    Fragments,
    /// `probdd`: Wang et al. 2021.
    ProbDd,
    /// `cdd`: Zhang et al. 2025.
    Cdd,
    /// `wdd`: W_ddmin, Zhou et al. 2025.
    Wdd,
    /// `single`: one circumstance at a time.
    Single,
    /// `galloping`: [`Groups::gallop`].
    Galloping,
}

impl Algorithm {
    /// All algorithms, the default first.
    pub const ALL: [Self; 10] = [
        Self::Default,
        Self::Ddmin,
        Self::DdminComplements,
        Self::Recursive,
        Self::Fragments,
        Self::ProbDd,
        Self::Cdd,
        Self::Wdd,
        Self::Single,
        Self::Galloping,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Ddmin => "ddmin",
            Self::DdminComplements => "ddmin-complements",
            Self::Recursive => "recursive",
            Self::Fragments => "fragments",
            Self::ProbDd => "probdd",
            Self::Cdd => "cdd",
            Self::Wdd => "wdd",
            Self::Single => "single",
            Self::Galloping => "galloping",
        }
    }
}

/// Returns a search with `algorithm` over as many circumstances as there are weights, as the
/// algorithm's authors give it. Only `default` and `wdd` look at the weights.
///
/// The empty configuration is among the questions: algorithms that take its outcome for granted
/// ask it first. The result of `default`, `galloping`, `ddmin`, `ddmin-complements`, `wdd` and
/// `single` is 1-minimal for any oracle.
pub fn minimizer(algorithm: Algorithm, weights: &[u32]) -> Box<dyn Minimizer> {
    let count = weights.len();
    match algorithm {
        Algorithm::Default => Groups::new(weights).search(),
        Algorithm::Galloping => Groups::new(weights).gallop(),
        _ => scan(algorithm, weights, count),
    }
}

fn scan(algorithm: Algorithm, weights: &[u32], count: usize) -> Box<dyn Minimizer> {
    match algorithm {
        Algorithm::Default => Groups { sweep: false, ..Groups::new(weights) }.search(),
        Algorithm::Galloping => Groups { sweep: false, ..Groups::new(weights) }.gallop(),
        Algorithm::Ddmin => Box::new(EmptyFirst::new(Ddmin::new(count))),
        Algorithm::DdminComplements => Box::new(EmptyFirst::new(DdminComplements::new(count))),
        Algorithm::Recursive => Box::new(EmptyFirst::new(Recursive::new(count))),
        Algorithm::Fragments => Box::new(EmptyFirst::new(Fragments::new(count))),
        Algorithm::ProbDd => Box::new(ProbDd::new(count)),
        Algorithm::Cdd => Box::new(Cdd::new(count)),
        Algorithm::Wdd => Box::new(EmptyFirst::new(Ddmin::weighted(weights))),
        Algorithm::Single => Box::new(Single::new(count)),
    }
}

/// Returns [`minimizer`] for a caller with a sweep of its own: `default` and `galloping` do not
/// test again what they inferred to be needed. All else is the same.
pub fn minimizer_without_sweep(algorithm: Algorithm, weights: &[u32]) -> Box<dyn Minimizer> {
    scan(algorithm, weights, weights.len())
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
