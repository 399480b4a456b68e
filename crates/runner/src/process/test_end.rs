//! How a test ends.

use serde::{Deserialize, Serialize};

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestEnd {
    /// It ended with this exit code.
    Exited(i32),
    /// It was killed by this signal, which we did not send.
    Signaled(i32),
    /// We ended it because its time was up.
    TimedOut,
    /// It was ended because it wrote more to its standard output or standard error than
    /// [`FLOOD`](crate::FLOOD).
    TooMuchOutput,
    /// We ended it because its answer is no longer wanted.
    Stopped,
}
