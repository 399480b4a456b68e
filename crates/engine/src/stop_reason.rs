//! Why a session ended before everything was tried.

use std::fmt;
use std::str::FromStr;

/// The reason why a session ended early. Words for people are made where they are shown; the
/// [stable words](Self::word) are for files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl StopReason {
    /// All reasons.
    pub const ALL: [Self; 10] = [
        Self::TestBudget,
        Self::InVain,
        Self::TimeBudget,
        Self::SmallEnough,
        Self::GoodEnough,
        Self::Interrupted,
        Self::JournalExhausted,
        Self::StillReducible,
        Self::OracleFailed,
        Self::WorkersLost,
    ];

    /// Returns the word that stands for this reason in files. It never changes.
    pub fn word(self) -> &'static str {
        match self {
            Self::TestBudget => "test-budget",
            Self::InVain => "in-vain",
            Self::TimeBudget => "time-budget",
            Self::SmallEnough => "small-enough",
            Self::GoodEnough => "good-enough",
            Self::Interrupted => "interrupted",
            Self::JournalExhausted => "journal-exhausted",
            Self::StillReducible => "still-reducible",
            Self::OracleFailed => "oracle-failed",
            Self::WorkersLost => "workers-lost",
        }
    }
}

impl serde::Serialize for StopReason {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }
}

impl FromStr for StopReason {
    type Err = UnknownStopReason;

    fn from_str(word: &str) -> Result<Self, UnknownStopReason> {
        let known = Self::ALL.into_iter().find(|reason| reason.word() == word);
        known.ok_or_else(|| UnknownStopReason(word.to_owned()))
    }
}

/// The error for a word that stands for no [`StopReason`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStopReason(pub String);

impl fmt::Display for UnknownStopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no reason to stop is called {:?}", self.0)
    }
}

impl std::error::Error for UnknownStopReason {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for reason in StopReason::ALL {
            assert_eq!(reason.word().parse(), Ok(reason));
        }
        assert_eq!("".parse::<StopReason>(), Err(UnknownStopReason(String::new())));
    }
}
