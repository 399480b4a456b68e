//! Answers that are known. Knows candidates by their hashes only.
//!
//! Two candidates with the same tokens are the same to a walk, but not always to a test: it may look
//! at blank space. So what look-ahead has found counts for exactly the bytes that were tested (else
//! the number of jobs could decide which of two such candidates speaks for both), and a candidate is
//! only accepted when it was tested itself.

use std::collections::HashMap;

use minirepro_search::Outcome;
use minirepro_syntax::{Rendered, TokenHash};
use xxhash_rust::xxh3::xxh3_128;

/// A candidate: what it is up to blank space that does not matter, and what it is exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    tokens: TokenHash,
    text: u128,
}

impl Key {
    /// Linear in the bytes of the candidate (some 10 GB/s).
    pub(crate) fn of(candidate: &Rendered) -> Self {
        Self { tokens: candidate.hash, text: xxh3_128(&candidate.text) }
    }
}

/// All answers of a session.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Of tests, by the exact candidate.
    tested: HashMap<u128, Outcome>,
    /// What the walk was told: the outcome, and the exact candidate that was tested for it. Does not
    /// depend on look-ahead.
    told: HashMap<TokenHash, (Outcome, u128)>,
}

impl Memory {
    /// The answer to a candidate, if it needs no test.
    pub(crate) fn get(&self, key: Key) -> Option<Outcome> {
        match self.told.get(&key.tokens) {
            Some(&(outcome, text)) if outcome != Outcome::Fail || text == key.text => Some(outcome),
            _ => self.tested.get(&key.text).copied(),
        }
    }

    /// Keeps the answer of a test.
    pub(crate) fn insert(&mut self, key: Key, outcome: Outcome) {
        self.tested.insert(key.text, outcome);
    }

    /// The walk was told this answer; whether a test was needed for it.
    pub(crate) fn tell(&mut self, key: Key, outcome: Outcome) -> bool {
        let known = self.told.get(&key.tokens);
        let new = known.is_none_or(|&(old, text)| old == Outcome::Fail && text != key.text);
        if new {
            self.told.insert(key.tokens, (outcome, key.text));
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tokens: &[u8], text: u128) -> Key {
        Key { tokens: TokenHash::token(tokens), text }
    }

    #[test]
    fn other_blank_space_is_refused_without_a_test_but_never_accepted_so() {
        let mut memory = Memory::default();
        for (tokens, outcome) in [(b"a", Outcome::Pass), (b"b", Outcome::Fail)] {
            memory.insert(key(tokens, 1), outcome);
            assert_eq!(memory.get(key(tokens, 2)), None, "the walk has not used the answer yet");
            assert!(memory.tell(key(tokens, 1), outcome));
            assert!(!memory.tell(key(tokens, 1), outcome), "remembered");
        }
        assert_eq!(memory.get(key(b"a", 2)), Some(Outcome::Pass));
        assert_eq!(memory.get(key(b"b", 1)), Some(Outcome::Fail));
        assert_eq!(memory.get(key(b"b", 2)), None);
        assert!(memory.tell(key(b"b", 2), Outcome::Pass));
        assert_eq!(memory.get(key(b"b", 3)), Some(Outcome::Pass));
    }
}
