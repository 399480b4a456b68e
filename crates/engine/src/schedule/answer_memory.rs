//! The answers that a session knows, by the hashes of candidates.
//!
//! Two candidates with the same tokens are the same to a reducer, but not always to a test: it may
//! look at blank space. So the answer of a look-ahead test counts for exactly the bytes that were
//! tested (else the number of jobs could decide which of two such candidates speaks for both), and
//! a candidate is only accepted when it was tested itself. A certificate covers exact candidates
//! only.

use minirepro_search::Outcome;
use minirepro_syntax::{Rendered, TokenHash};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_128;

/// Identifies a candidate.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// XXH3-128 of the bytes: equal texts have equal ones.
    pub(crate) text: u128,
    /// The tokens, where other blank space is as good.
    tokens: Option<TokenHash>,
    /// Whether an answer to other blank space will not do.
    exact: bool,
}

impl Key {
    /// Identifies a candidate by its tokens; if `exact`, nothing but a test of its very bytes can
    /// refuse it. Linear in the bytes (some 10 GB/s).
    pub(crate) fn of_tokens(candidate: &Rendered, exact: bool) -> Self {
        let text = xxh3_128(&candidate.text);
        Self { text, tokens: Some(candidate.hash), exact }
    }

    /// Identifies a candidate by its bytes alone. Linear in the bytes (some 10 GB/s).
    pub(crate) fn of_bytes(candidate: &[u8]) -> Self {
        Self { text: xxh3_128(candidate), tokens: None, exact: true }
    }

    /// Returns whether `outcome` for a candidate with the same tokens and this text holds for this
    /// one.
    fn accepts(self, outcome: Outcome, text: u128) -> bool {
        text == self.text || outcome != Outcome::Fail && !self.exact
    }
}

/// Outcomes by the exact candidate, as the oracle gave them.
#[derive(Clone, Debug, Default)]
pub struct Answers(FxHashMap<u128, Outcome>);

impl Answers {
    /// Adds a known answer.
    pub fn insert(&mut self, candidate: &[u8], outcome: Outcome) {
        self.0.insert(xxh3_128(candidate), outcome);
    }

    /// Removes the answers to the candidates of which `is_doubtful` is true; it gets XXH3-128 of
    /// their bytes.
    pub fn forget(&mut self, is_doubtful: impl Fn(u128) -> bool) {
        self.0.retain(|candidate, _| !is_doubtful(*candidate));
    }
}

/// All answers of a session.
#[derive(Debug)]
pub(crate) struct AnswerMemory {
    /// Outcomes of tests.
    tested: Answers,
    /// For each token sequence that the decider was told about: the outcome, and the text that was
    /// tested for it. Does not depend on look-ahead.
    told: FxHashMap<TokenHash, (Outcome, u128)>,
    /// The exact candidates about which the decider was told a test's answer.
    told_exactly: FxHashSet<u128>,
}

impl AnswerMemory {
    /// Returns a memory of answers that sessions with the same oracle were told.
    pub(crate) fn new(answers: Answers) -> Self {
        let told_exactly = answers.0.keys().copied().collect();
        Self { tested: answers, told: FxHashMap::default(), told_exactly }
    }

    /// Returns the answers that the decider was told, for the next session with the same oracle.
    ///
    /// Answers to guesses would let the figures of that one depend on the number of jobs.
    pub(crate) fn into_answers(mut self) -> Answers {
        self.tested.0.retain(|key, _| self.told_exactly.contains(key));
        self.tested
    }

    /// Returns the answer to a candidate if it needs no test.
    pub(crate) fn get(&self, key: Key) -> Option<Outcome> {
        if let Some(&(outcome, text)) = key.tokens.and_then(|tokens| self.told.get(&tokens))
            && key.accepts(outcome, text)
        {
            return Some(outcome);
        }
        self.tested.0.get(&key.text).copied()
    }

    /// Keeps the oracle's answer.
    pub(crate) fn insert(&mut self, key: Key, outcome: Outcome) {
        self.tested.0.insert(key.text, outcome);
    }

    /// Returns whether the decider was told no answer so far that holds for this candidate: then a
    /// test is needed for it.
    pub(crate) fn needs_test(&self, key: Key) -> bool {
        if key.exact {
            return !self.told_exactly.contains(&key.text);
        }
        let told = key.tokens.and_then(|tokens| self.told.get(&tokens));
        told.is_none_or(|&(outcome, text)| !key.accepts(outcome, text))
    }

    /// Notes that the decider was told this answer. Returns whether a test was needed for it.
    pub(crate) fn tell(&mut self, key: Key, outcome: Outcome) -> bool {
        let new = self.needs_test(key);
        if new {
            if let Some(tokens) = key.tokens {
                self.told.insert(tokens, (outcome, key.text));
            }
            self.told_exactly.insert(key.text);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tokens: &[u8], text: u128) -> Key {
        Key { text, tokens: Some(TokenHash::token(tokens)), exact: false }
    }

    #[test]
    fn other_blank_space_is_no_answer_to_an_exact_question() {
        let mut memory = AnswerMemory::new(Answers::default());
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
        let mut memory = AnswerMemory::new(Answers::default());
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

    #[test]
    fn what_nobody_was_told_is_forgotten() {
        let mut memory = AnswerMemory::new(Answers::default());
        memory.insert(Key::of_bytes(b"a"), Outcome::Fail);
        assert!(memory.tell(Key::of_bytes(b"a"), Outcome::Fail));
        memory.insert(Key::of_bytes(b"guess"), Outcome::Fail);
        let memory = AnswerMemory::new(memory.into_answers());
        assert_eq!(memory.get(Key::of_bytes(b"a")), Some(Outcome::Fail));
        assert_eq!(memory.get(Key::of_bytes(b"guess")), None, "nobody was told");
    }
}
