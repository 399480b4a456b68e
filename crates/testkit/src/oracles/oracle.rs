//! The form of all stand-ins: a function from a text to an outcome.

use minirepro_engine::Outcome;

/// An oracle that is a function.
pub type Oracle = Box<dyn Fn(&[u8]) -> Outcome>;

/// Turns "the failure is there" into an outcome.
pub(super) fn found(yes: bool) -> Outcome {
    if yes { Outcome::Fail } else { Outcome::Pass }
}
