//! Delta debugging: algorithms that find a small subset of circumstances for which a test still
//! fails.
//!
//! A *circumstance* is anything that can be there or not (a token, a line, a change), known by its
//! number alone. A search is a machine: [`Search::ask`] gives the configuration that it wants
//! tested,
//! [`Search::tell`] takes the outcome. The driver decides how a question is answered, so that
//! the same algorithm works in a loop, ahead of time on several processors, or from a journal.
//!
//! ddmin on the characters of a string, whose failure needs `<` and `>`:
//!
//! ```
//! use minirepro_search::{Ddmin, Minimizer as _, Outcome, Search as _};
//!
//! let input: Vec<char> = "if (a < b) return x > y;".chars().collect();
//! let mut search = Ddmin::new(input.len());
//! while let Some(question) = search.ask() {
//!     let text: String = question.iter().map(|character| input[character]).collect();
//!     let is_there = text.contains('<') && text.contains('>');
//!     search.tell(if is_there { Outcome::Fail } else { Outcome::Pass });
//! }
//! let result: String = search.kept().iter().map(|character| input[character]).collect();
//! assert_eq!(result, "<>");
//! ```
//!
//! The default, [`Groups`], needs fewer tests and ends with a sweep, which makes its result
//! 1-minimal for any test:
//!
//! ```
//! use minirepro_search::{Groups, Minimizer as _, Outcome, Search as _};
//!
//! let mut search = Groups::new(&[1; 100]).search();
//! let mut tests = 0;
//! while let Some(question) = search.ask() {
//!     let fails = question.contains(17) && question.contains(62);
//!     search.tell(if fails { Outcome::Fail } else { Outcome::Pass });
//!     tests += 1;
//! }
//! assert_eq!(search.kept().iter().collect::<Vec<_>>(), [17, 62]);
//! assert!(tests < 30);
//! ```
//!
//! Where the algorithms stand: `splitting/` has the default search, `published/` the algorithms of
//! papers and books with their sources, `adapters/` what can be put around any of them.
//! [`Algorithm`] lists them by name.
//!
//! Must not depend on what a circumstance stands for: no trees, files, processes, threads, clocks,
//! nor randomness without a seed.

mod adapters;
mod algorithm;
mod configuration;
mod machine;
mod memory;
mod outcome;
mod published;
mod splitting;

pub use adapters::cached::Cached;
pub use adapters::empty_first::EmptyFirst;
pub use adapters::limits::{Limits, Stop};
pub use adapters::sweep::Swept;
pub use algorithm::{Algorithm, minimizer, minimizer_without_sweep};
pub use configuration::Configuration;
pub use outcome::Outcome;
pub use published::cdd::Cdd;
pub use published::dd::Dd;
pub use published::ddmin::Ddmin;
pub use published::ddmin_complements::DdminComplements;
pub use published::fragments::Fragments;
pub use published::once::Once;
pub use published::probdd::ProbDd;
pub use published::recursive::Recursive;
pub use published::single::Single;
pub use splitting::binary_reduction::BinaryReduction;
pub use splitting::first_group::First;
pub use splitting::galloping::Galloping;
pub use splitting::graded_reduction::GradedReduction;
pub use splitting::group_testing::Groups;

/// A deterministic machine that asks questions of type `Q` and is told outcomes.
///
/// The next question is a pure function of what was told so far, so a caller may
/// [`fork`](Search::fork) the machine, assume answers, and find out what it would ask next.
pub trait Search<Q>: Send + Sync {
    /// Returns the next question, or `None` when the search is done. Asking twice gives the same
    /// question.
    fn ask(&self) -> Option<Q>;
    /// Answers the question that [`ask`](Search::ask) gives now. The only transition.
    ///
    /// # Panics
    /// May panic when the search is done.
    fn tell(&mut self, outcome: Outcome);
    /// Returns an independent copy in the same state. Cheap (at most linear in the circumstances).
    fn fork(&self) -> Box<dyn Search<Q>>;
}

/// A search for a small failing subset of the circumstances `0..n`, of which all are known to fail.
///
/// Questions are the circumstances that are *kept*.
pub trait Minimizer: Search<Configuration> {
    /// Returns the smallest configuration so far that was told to fail (at first: all
    /// circumstances).
    fn kept(&self) -> &Configuration;
    /// Forks as [`Search::fork`] does, without losing [`kept`](Minimizer::kept).
    fn fork_minimizer(&self) -> Box<dyn Minimizer>;
}
