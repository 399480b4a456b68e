//! Why a session ended before everything was tried.

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
    /// All reasons, each with the word that stands for it in files. It never changes.
    const WORDS: [(Self, &str); 10] = [
        (Self::TestBudget, "test-budget"),
        (Self::InVain, "in-vain"),
        (Self::TimeBudget, "time-budget"),
        (Self::SmallEnough, "small-enough"),
        (Self::GoodEnough, "good-enough"),
        (Self::Interrupted, "interrupted"),
        (Self::JournalExhausted, "journal-exhausted"),
        (Self::StillReducible, "still-reducible"),
        (Self::OracleFailed, "oracle-failed"),
        (Self::WorkersLost, "workers-lost"),
    ];

    /// Returns the word that stands for this reason in files.
    pub fn word(self) -> &'static str {
        let own = Self::WORDS.iter().find(|(reason, _)| *reason == self);
        own.expect("each reason has a word").1
    }
}

impl serde::Serialize for StopReason {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }
}

impl FromStr for StopReason {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = Self::WORDS.into_iter().find(|(_, own)| *own == word);
        known.map(|(reason, _)| reason).ok_or_else(|| format!("nothing stops by {word:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for (reason, word) in StopReason::WORDS {
            assert_eq!((reason.word(), word.parse()), (word, Ok(reason)));
        }
        assert!("".parse::<StopReason>().is_err());
    }
}
