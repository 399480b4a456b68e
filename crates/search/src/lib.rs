//! Delta-debugging algorithms as ask/tell machines over any circumstances.
//!
//! A search knows how many circumstances there are and what it was told; it must not know what a
//! circumstance is, nor trees, files, processes, threads, clocks or randomness without a seed.

mod algorithm;
mod cached;
mod cdd;
mod configuration;
mod dd;
mod ddmin;
mod ddmin_complements;
mod empty_first;
mod fragments;
mod galloping;
mod groups;
mod machine;
mod memory;
mod once;
mod outcome;
mod probdd;
mod rates;
mod recursive;
mod single;
mod split;
mod stop;
mod sweep;

pub use algorithm::{Algorithm, minimizer, minimizer_without_sweep};
pub use cached::Cached;
pub use cdd::Cdd;
pub use configuration::Configuration;
pub use dd::Dd;
pub use ddmin::Ddmin;
pub use ddmin_complements::DdminComplements;
pub use empty_first::EmptyFirst;
pub use fragments::Fragments;
pub use galloping::Galloping;
pub use groups::{First, Groups};
pub use once::Once;
pub use outcome::Outcome;
pub use probdd::ProbDd;
pub use recursive::Recursive;
pub use single::Single;
pub use stop::{Limits, Stop};
pub use sweep::Swept;

/// A deterministic machine that asks questions of type `Q` and is told outcomes.
///
/// The next question is a pure function of what was told so far, so a caller may
/// [`fork`](Search::fork) the machine, assume answers, and find out what it would ask next.
pub trait Search<Q>: Send + Sync {
    /// The next question, or `None` when the search is done. Asking twice gives the same question.
    fn ask(&self) -> Option<Q>;
    /// Answers the question that [`ask`](Search::ask) gives now. The only transition.
    ///
    /// # Panics
    /// May panic when the search is done.
    fn tell(&mut self, outcome: Outcome);
    /// An independent copy in the same state. Cheap (at most linear in the circumstances).
    fn fork(&self) -> Box<dyn Search<Q>>;
}

/// A search for a small failing subset of the circumstances `0..n`, of which all are known to fail.
///
/// Questions are the circumstances that are *kept*.
pub trait Minimizer: Search<Configuration> {
    /// The smallest configuration so far that was told to fail (at first: all circumstances).
    fn kept(&self) -> &Configuration;
    /// [`Search::fork`] without losing [`kept`](Minimizer::kept).
    fn fork_minimizer(&self) -> Box<dyn Minimizer>;
}
