//! Delta debugging: finds a small part of a list for which a test still fails.
//!
//! ```
//! let input: Vec<char> = "if (a < b) return x > y;".chars().collect();
//! let fails = |some: &[char]| some.contains(&'<') && some.contains(&'>');
//! assert_eq!(minirepro_search::shrink(&input, fails), ['<', '>']);
//! ```
//!
//! [`shrink`] takes a list and a closure; [`Shrink`] also weights, a check whether a candidate is
//! worth a test, another algorithm, or no closure at all, for asynchronous tests. [`isolate`]
//! brings a list that fails and one that passes together. The crate depends on nothing but the
//! standard library.
//!
//! # Which algorithm when
//!
//! Tests until each algorithm is done, for 1,000 items, means over random needed items (a test
//! fails if all of them are there); in the last column each item that is left also needs another
//! one, as a use needs its definition:
//!
//! | algorithm | 1 needed | 10 needed | 100 needed | 100 in runs of 10 | 10 with needs |
//! |---|--:|--:|--:|--:|--:|
//! | `default` | 15 | 101 | 638 | 297 | 319 |
//! | `ddmin` | 16 | 530 | 13453 | 1723 | 9462 |
//! | `ddmin-complements` | 15 | 389 | 12184 | 1366 | 8815 |
//! | `recursive` | 16 | 108 | 608 | 289 | 406 |
//! | `fragments` | 20 | 130 | 684 | 273 | 793 |
//! | `probdd` | 117 | 176 | 668 | 356 | 871 |
//! | `cdd` | 106 | 168 | 679 | 343 | 793 |
//! | `wdd` | 16 | 535 | 13485 | 1800 | 9348 |
//! | `single` | 1001 | 1010 | 1099 | 1102 | 1043 |
//! | `galloping` | 23 | 146 | 730 | 329 | 356 |
//!
//! * The [default](Algorithm::Default), and with a few tests more [`Galloping`], where no single
//!   item must be left that could go, whatever the test is like. `single`, `ddmin`,
//!   `ddmin-complements` and `wdd` promise the same for more tests.
//! * [`Recursive`] where long runs of items go or stay and the result need not be 1-minimal;
//!   [`ProbDd`], [`Cdd`] and [`Fragments`] do not promise it either.
//! * [`Dd`], or [`isolate`], if a passing list is known as well: it needs a logarithm of tests
//!   where every test has an answer.
//! * Any other to compare with what was published.
//! * [`GradedReduction`] and [`BinaryReduction`] where it is known which items need which.
//!
//! # Machines
//!
//! Below the closures each search is a machine over *circumstances*, anything that can be there or
//! not, known by its number alone: [`Search::ask`] gives the configuration that it wants tested,
//! [`Search::tell`] takes the outcome. The driver decides how a question is answered, so that the
//! same algorithm works in a loop, ahead of time on several processors, or from a journal.
//!
//! ```
//! use minirepro_search::{Groups, Minimizer as _, Search as _};
//!
//! let mut search = Groups::new(&[1; 100]).search();
//! let mut tests = 0;
//! while let Some(question) = search.ask() {
//!     let fails = question.contains(17) && question.contains(62);
//!     search.tell(fails.into());
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
mod slices;
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
pub use slices::{Isolated, Questions, Shrink, isolate, shrink};
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
