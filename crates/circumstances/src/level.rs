//! The common form of all circumstances. Knows no kind of them.

use std::sync::Arc;

use minirepro_search::Configuration;

/// Things that can be there or not, and what becomes of any choice of them. A pure function.
pub trait Circumstances: Send + Sync {
    /// One weight for each of them: how much it takes away, for searches that look at it.
    fn weights(&self) -> Vec<u32>;

    /// The candidate with these circumstances; `None` when it is infeasible.
    fn candidate(&self, there: &Configuration) -> Option<Candidate>;
}

/// What to test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The bytes for the oracle.
    pub text: Vec<u8>,
    /// What must pass for a failure of `text` to count.
    pub counterpart: Option<Vec<u8>>,
}

impl Candidate {
    /// A candidate that counts by itself.
    pub fn alone(text: Vec<u8>) -> Self {
        Self { text, counterpart: None }
    }
}

/// One granularity of circumstances.
pub struct Level {
    /// What they are, in the plural, for people.
    pub name: &'static str,
    /// The circumstances; none of them gives the passing candidate, all of them the failing one.
    pub circumstances: Arc<dyn Circumstances>,
}

/// Finer and finer circumstances.
pub trait Levels: Send + Sync {
    /// What can be there or not between these two candidates, on the level with this number, from
    /// 0 on; `None` behind the last level.
    fn open(&self, level: usize, passing: &Arc<[u8]>, failing: &Arc<[u8]>) -> Option<Level>;
}
