//! Hashes of token sequences that can be joined.
//!
//! Polynomial hashes modulo 2^128 over the hashes of the tokens (Karp & Rabin 1987), so the hash of
//! a sequence follows from those of its parts, and unchanged subtrees need no second look.

use xxhash_rust::xxh3::xxh3_128;

/// Odd, so that no part of a hash is lost.
const BASE: u128 = 0x1b6d_35e1_9c70_4a55_0c39_77f2_61ad_80c7;

/// The hash of a sequence of tokens, and the length of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TokenHash {
    hash: u128,
    len: u32,
}

impl TokenHash {
    /// The empty sequence.
    pub const EMPTY: Self = Self { hash: 0, len: 0 };

    /// Creates the sequence of one token. Linear in its bytes.
    pub fn token(text: &[u8]) -> Self {
        Self { hash: xxh3_128(text), len: 1 }
    }

    /// Appends `next` to this sequence. Logarithmic in the length of `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let hash = self.before(next.len).wrapping_add(next.hash);
        Self { hash, len: self.len + next.len }
    }

    /// Returns the rest of this sequence after `first`, with which it begins. Logarithmic in the
    /// length of the rest.
    #[must_use]
    pub fn without_prefix(self, first: Self) -> Self {
        let len = self.len - first.len;
        Self { hash: self.hash.wrapping_sub(first.before(len)), len }
    }

    /// Returns what the sequence adds to the hash of one in which as many tokens follow it.
    fn before(self, tokens: u32) -> u128 {
        self.hash.wrapping_mul(BASE.wrapping_pow(tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::TokenHash;

    fn of(tokens: &[&str]) -> TokenHash {
        tokens.iter().fold(TokenHash::EMPTY, |h, t| h.then(TokenHash::token(t.as_bytes())))
    }

    #[test]
    fn joining_in_any_grouping_gives_the_same_hash() {
        let whole = of(&["int", "x", "=", "1", ";"]);
        assert_eq!(of(&["int", "x"]).then(of(&["=", "1", ";"])), whole);
        assert_eq!(of(&["int"]).then(of(&["x", "=", "1"]).then(of(&[";"]))), whole);
    }

    #[test]
    fn a_sequence_gives_back_what_was_joined_to_it() {
        let first = of(&["int", "x", "="]);
        let next = of(&["1", ";"]);
        assert_eq!(first.then(next).without_prefix(first), next);
        assert_eq!(first.without_prefix(first), TokenHash::EMPTY);
        assert_eq!(next.without_prefix(TokenHash::EMPTY), next);
    }

    #[test]
    fn order_and_borders_matter() {
        assert_ne!(of(&["a", "b"]), of(&["b", "a"]));
        assert_ne!(of(&["ab"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "a"]), of(&["a"]));
    }
}
