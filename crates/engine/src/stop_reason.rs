//! Why a session ended before everything was tried.

use serde::{Deserialize, Serialize};
use strum::Display;

/// The reason why a session ended early. Words for people are made where they are shown; files hold
/// the names of the reasons, which never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum StopReason {
    /// As many tests as allowed were run.
    TestBudget,
    /// As many tests as allowed were run, and none of them made anything smaller.
    InVain,
    /// The session lasted as long as allowed.
    TimeBudget,
    /// The result is as small as was asked for.
    SmallEnough,
    /// Somebody who watched the run found the result good enough.
    GoodEnough,
    /// Somebody asked for the end, by a signal for instance.
    Interrupted,
    /// A run is being replayed, and its journal has no answer to the next question.
    JournalExhausted,
    /// Verification found an edit of the result that still fails.
    StillReducible,
    /// The test could not be run.
    OracleFailed,
    /// The workers that were to run the test are gone.
    WorkersLost,
}
