//! Hashes of token sequences that can be joined.
//!
//! Two polynomial hashes modulo 2^61 − 1 over the hashes of the tokens (Karp & Rabin 1987), so the
//! hash of a sequence follows from those of its parts, and unchanged subtrees need no second look.

use xxhash_rust::xxh3::xxh3_64;

const P: u64 = (1 << 61) - 1;
const BASES: [u64; 2] = [0x1b6d_35e1_9c70_4a55, 0x0c39_77f2_61ad_80c7];

/// The hash of a sequence of tokens: 122 bits, and the length of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TokenHash {
    halves: [u64; 2],
    len: u32,
}

impl TokenHash {
    /// The empty sequence.
    pub const EMPTY: Self = Self { halves: [0; 2], len: 0 };

    /// Creates the sequence of one token. Linear in its bytes.
    pub fn token(text: &[u8]) -> Self {
        let h = xxh3_64(text);
        Self { halves: [h % P, (h.rotate_left(29) ^ 0x9e37_79b9_7f4a_7c15) % P], len: 1 }
    }

    /// Appends `next` to this sequence. Logarithmic in the length of `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        if next.len == 0 {
            return self;
        }
        if self.len == 0 {
            return next;
        }
        let half = |i: usize| add(mul(self.halves[i], power(BASES[i], next.len)), next.halves[i]);
        Self { halves: [half(0), half(1)], len: self.len + next.len }
    }

    /// Returns the rest of this sequence after `first`, with which it begins. Logarithmic in the
    /// length of the rest.
    #[must_use]
    pub fn without_prefix(self, first: Self) -> Self {
        let len = self.len - first.len;
        if len == 0 {
            return Self::EMPTY;
        }
        let half = |i: usize| add(self.halves[i], P - mul(first.halves[i], power(BASES[i], len)));
        Self { halves: [half(0), half(1)], len }
    }
}

fn mul(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    #[expect(clippy::cast_possible_truncation, reason = "both parts are below 2^61 by the masks")]
    add((wide & u128::from(P)) as u64, (wide >> 61) as u64)
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= P { sum - P } else { sum }
}

fn power(base: u64, mut exponent: u32) -> u64 {
    if exponent == 1 {
        return base;
    }
    let mut result = 1;
    let mut square = base;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, square);
        }
        square = mul(square, square);
        exponent >>= 1;
    }
    result
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
