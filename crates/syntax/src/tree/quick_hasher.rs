//! A hasher for what lives as long as a run: fast, the same in every process, and no defence
//! against anybody who looks for collisions.

use std::hash::{BuildHasherDefault, Hasher};

/// Multiplies each word into its state and folds the product (as wyhash does).
#[derive(Clone, Copy, Debug, Default)]
pub struct QuickHasher(u64);

/// Makes the hashers of a map or a set.
pub type QuickState = BuildHasherDefault<QuickHasher>;

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xe703_7ed1_a0b4_28db;

impl QuickHasher {
    fn mix(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word ^ FIRST) * u128::from(SECOND);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        let folded = wide as u64 ^ (wide >> 64) as u64;
        self.0 = folded.wrapping_add(FIRST);
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.mix(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        let mut last = *self;
        last.mix(0);
        last.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::Hash;

    use super::*;

    fn hash(value: impl Hash) -> u64 {
        let mut hasher = QuickHasher::default();
        value.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn different_values_have_different_hashes_in_every_part() {
        let words: HashSet<u64> = (0..100_000u64).map(hash).collect();
        assert_eq!(words.len(), 100_000);
        let low: HashSet<u64> = (0..1_000u64).map(|n| hash(n << 40) & 0xfff_ffff).collect();
        let high: HashSet<u64> = (0..1_000u64).map(|n| hash(n) >> 36).collect();
        assert_eq!((low.len(), high.len()), (1_000, 1_000));
        let texts: HashSet<u64> = (0..20).map(|n| hash("a".repeat(n))).collect();
        assert_eq!(texts.len(), 20);
        assert_ne!(hash(b"ab\0"), hash(b"ab"));
        assert_ne!(hash((1u8, 2u8)), hash((2u8, 1u8)));
    }
}
