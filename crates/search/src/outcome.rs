//! The outcome of a test.

/// The outcome of one test (Zeller & Hildebrandt 2002, §2.3; POSIX 1003.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The failure is reproduced (✘).
    Fail,
    /// The failure is gone (✔).
    Pass,
    /// Nothing can be said (?): infeasible, another failure, a timeout.
    Unresolved,
}
