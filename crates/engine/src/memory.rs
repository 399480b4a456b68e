//! Answers that are known. Knows candidates by their hashes only.
//!
//! Two candidates with the same tokens are the same to a walk, but not always to a test: it may look
//! at blank space. So what look-ahead has found counts for exactly the bytes that were tested (else
//! the number of jobs could decide which of two such candidates speaks for both), and a candidate is
//! only accepted when it was tested itself. A certificate speaks of exact candidates only.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use minirepro_search::Outcome;
use minirepro_syntax::TokenHash;
use xxhash_rust::xxh3::xxh3_128;

use crate::walk::Question;

/// A candidate: what it is up to blank space that does not matter, and what it is exactly. Keys are
/// equal if the texts are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    tokens: TokenHash,
    text: u128,
    /// No answer to other blank space will do.
    exact: bool,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Key {
    /// Whether the answer to a candidate with the same tokens and this text is one to this candidate.
    fn takes(self, outcome: Outcome, text: u128) -> bool {
        text == self.text || outcome != Outcome::Fail && !self.exact
    }

    /// Linear in the bytes of the candidate (some 10 GB/s).
    pub(crate) fn of(question: &Question) -> Self {
        let Question { candidate, exact, .. } = question;
        Self { tokens: candidate.hash, text: xxh3_128(&candidate.text), exact: *exact }
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
    /// All exact candidates of which the walk was told a test's answer.
    told_exactly: HashSet<u128>,
}

impl Memory {
    /// The answer to a candidate, if it needs no test.
    pub(crate) fn get(&self, key: Key) -> Option<Outcome> {
        match self.told.get(&key.tokens) {
            Some(&(outcome, text)) if key.takes(outcome, text) => Some(outcome),
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
        let new = match known {
            _ if key.exact => !self.told_exactly.contains(&key.text),
            known => known.is_none_or(|&(old, text)| !key.takes(old, text)),
        };
        if new {
            self.told.insert(key.tokens, (outcome, key.text));
            self.told_exactly.insert(key.text);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tokens: &[u8], text: u128) -> Key {
        Key { tokens: TokenHash::token(tokens), text, exact: false }
    }

    #[test]
    fn other_blank_space_is_no_answer_to_an_exact_question() {
        let mut memory = Memory::default();
        let exact = |text| Key { exact: true, ..key(b"a", text) };
        memory.insert(key(b"a", 1), Outcome::Pass);
        assert!(memory.tell(key(b"a", 1), Outcome::Pass));
        assert_eq!(memory.get(exact(2)), None);
        assert_eq!(memory.get(exact(1)), Some(Outcome::Pass));
        memory.insert(exact(2), Outcome::Unresolved);
        assert_eq!(memory.get(exact(2)), Some(Outcome::Unresolved));
        assert!(memory.tell(exact(2), Outcome::Unresolved));
        assert!(!memory.tell(exact(1), Outcome::Pass), "told before the other one");
        assert!(!memory.tell(exact(2), Outcome::Unresolved));
        assert_eq!(memory.get(exact(1)), Some(Outcome::Pass));
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
