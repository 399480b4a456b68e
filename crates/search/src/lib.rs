//! Delta debugging: finds a small part of a list for which a test still fails.
//!
//! ```
//! let input: Vec<char> = "if (a < b) return x > y;".chars().collect();
//! let fails = |some: &[char]| some.contains(&'<') && some.contains(&'>');
//! assert_eq!(minirepro_search::shrink(&input, fails), ['<', '>']);
//! ```
//!
//! [`shrink`] takes a list and a closure; the searches below it also ask and are told, for tests
//! that are not a closure.
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
//! | `recursive` | 16 | 108 | 608 | 289 | 406 |
//! | `fragments` | 20 | 130 | 684 | 273 | 793 |
//!
//! * The [default](Algorithm::Default) where no single item must be left that could go, whatever
//!   the test is like. [`Ddmin`] promises the same for more tests.
//! * [`Recursive`] where long runs of items go or stay and the result need not be 1-minimal;
//!   [`Fragments`] does not promise it either.
//! * [`Dd`] if a passing list is known as well: it needs a logarithm of tests where every test has
//!   an answer.
//! * [`Closures`] where it is known which items need which.
//!
//! # Machines
//!
//! Below the closures each search is a machine over *circumstances*, anything that can be there or
//! not, known by its number alone: [`Search::ask`] gives the configuration that it wants tested,
//! [`Search::tell`] takes the outcome. The driver decides how a question is answered, so that the
//! same algorithm works in a loop, ahead of time on several processors, or from a journal.
//!
//! ```
//! use minirepro_search::{Groups, Search as _};
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
//! `published/` has the algorithms of papers and books with their sources, `groups` the default
//! search; [`Algorithm`] lists them by name.
//!
//! Must not depend on what a circumstance stands for: no trees, files, processes, threads, clocks,
//! nor randomness without a seed.

use std::any::Any;

mod algorithm;
mod closures;
mod configuration;
mod groups;
mod once;
mod outcome;
mod published;
mod rates;
mod shrink;
mod sweep;

pub use algorithm::{Algorithm, minimizer};
pub use closures::Closures;
pub use configuration::Configuration;
pub use groups::{First, Groups};
pub use once::Once;
pub use outcome::Outcome;
pub use published::dd::Dd;
pub use published::ddmin::Ddmin;
pub use published::fragments::Fragments;
pub use published::recursive::Recursive;
pub use shrink::shrink;
pub use sweep::Swept;

/// A search for a small failing subset of the circumstances `0..n`, of which all are known to fail:
/// a deterministic machine that asks questions, the circumstances that are *kept*, and is told
/// outcomes.
///
/// The next question is a pure function of what was told so far, so a caller may
/// [`fork`](Fork::fork) the machine, assume answers, and find out what it would ask next.
pub trait Search: Any + Fork + Send + Sync {
    /// Returns the next question, or `None` when the search is done. Asking twice gives the same
    /// question.
    fn ask(&self) -> Option<Configuration>;
    /// Answers the question that [`ask`](Search::ask) gives now. The only transition.
    ///
    /// # Panics
    /// May panic when the search is done.
    fn tell(&mut self, outcome: Outcome);
    /// Returns the smallest configuration so far that was told to fail (at first: all
    /// circumstances).
    fn kept(&self) -> &Configuration;
}

/// What can be copied without knowing its type: every search that can be cloned.
pub trait Fork {
    /// Returns an independent copy in the same state. Cheap (at most linear in the circumstances).
    fn fork(&self) -> Box<dyn Search>;
}

impl<S: Search + Clone> Fork for S {
    fn fork(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Search> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}
