//! The outcome of a test.

use serde::{Deserialize, Serialize};

/// The outcome of one test (Zeller & Hildebrandt 2002, §2.3; POSIX 1003.3).
///
/// `true`, an error and a `Fail` say that the failure is there:
///
/// ```
/// use minirepro_search::Outcome;
///
/// assert_eq!(Outcome::from(true), Outcome::Fail);
/// assert_eq!(Outcome::from(Ok::<(), String>(())), Outcome::Pass);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The failure is reproduced (✘).
    #[serde(rename = "reproduced")]
    Fail,
    /// The failure is gone (✔).
    #[serde(rename = "not-reproduced")]
    Pass,
    /// Nothing can be said (?): infeasible, another failure, a timeout.
    Unresolved,
}

impl From<bool> for Outcome {
    /// Returns `Fail`, the failure is there, for `true` and `Pass` for `false`.
    fn from(fails: bool) -> Self {
        if fails { Self::Fail } else { Self::Pass }
    }
}

impl From<()> for Outcome {
    /// Returns `Pass`: a property that returns nothing holds unless it panics.
    fn from((): ()) -> Self {
        Self::Pass
    }
}

impl<E> From<Result<(), E>> for Outcome {
    /// Returns `Fail` for an error, as properties that return one mean it.
    fn from(result: Result<(), E>) -> Self {
        result.is_err().into()
    }
}
