//! The common form of all circumstances.

use std::sync::Arc;

use minirepro_search::Configuration;

/// Things that can be there or not, and what becomes of any choice of them. A pure function.
pub trait Circumstances: Send + Sync {
    /// Returns what they are, in the plural, for people.
    fn name(&self) -> &'static str;

    /// Returns one weight for each of them: how much it takes away, for searches that look at it.
    fn weights(&self) -> Vec<u32>;

    /// Returns the candidate with these circumstances: none of them gives the end that passes, all
    /// of them the one that fails. `None` when it is infeasible.
    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>>;

    /// Returns finer circumstances for the difference between two choices of these, if there are
    /// any.
    fn finer(
        &self,
        passing: &Configuration,
        failing: &Configuration,
    ) -> Option<Arc<dyn Circumstances>>;
}
