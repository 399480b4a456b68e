//! A set of circumstances, by number.

use std::ops::Range;

/// A subset of the circumstances `0..universe`, canonical and hashable.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration {
    universe: usize,
    words: Vec<u64>,
}

impl Configuration {
    /// Returns the empty subset of `0..universe`.
    pub fn none(universe: usize) -> Self {
        Self { universe, words: vec![0; universe.div_ceil(64)] }
    }

    /// Returns all circumstances of `0..universe`.
    pub fn all(universe: usize) -> Self {
        let mut words = vec![u64::MAX; universe.div_ceil(64)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), universe % 64) {
            *last = (1 << rest) - 1;
        }
        Self { universe, words }
    }

    /// Returns the given circumstances out of `0..universe`.
    ///
    /// # Panics
    /// If a circumstance is not below `universe`.
    pub fn of(universe: usize, circumstances: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::none(universe);
        circumstances.into_iter().for_each(|c| set.insert(c));
        set
    }

    /// Returns how many circumstances there are in all, in this set or not.
    pub fn universe(&self) -> usize {
        self.universe
    }

    /// Returns how many circumstances are in this set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Returns whether no circumstance is in this set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// Returns whether `circumstance` is in this set.
    pub fn contains(&self, circumstance: usize) -> bool {
        self.words.get(circumstance / 64).is_some_and(|w| w >> (circumstance % 64) & 1 == 1)
    }

    /// Adds `circumstance`.
    ///
    /// # Panics
    /// If it is not below the universe.
    pub fn insert(&mut self, circumstance: usize) {
        assert!(circumstance < self.universe, "circumstance outside of the universe");
        self.words[circumstance / 64] |= 1 << (circumstance % 64);
    }

    /// Takes `circumstance` out, if it is in.
    pub fn remove(&mut self, circumstance: usize) {
        if let Some(word) = self.words.get_mut(circumstance / 64) {
            *word &= !(1 << (circumstance % 64));
        }
    }

    /// Takes all of `range` out, as far as they are in. O(range / 64).
    pub fn remove_range(&mut self, range: Range<usize>) {
        let end = range.end.min(self.universe);
        let mut at = range.start;
        while at < end {
            let upto = end.min((at / 64 + 1) * 64);
            let ones = u64::MAX >> (64 - (upto - at));
            self.words[at / 64] &= !(ones << (at % 64));
            at = upto;
        }
    }

    /// Returns this set without those in `range`.
    #[must_use]
    pub fn without(&self, range: Range<usize>) -> Self {
        let mut rest = self.clone();
        rest.remove_range(range);
        rest
    }

    /// Returns the least circumstance of this set that is not below `from`.
    pub fn next_from(&self, from: usize) -> Option<usize> {
        let first = self.words.get(from / 64)? >> (from % 64);
        if first != 0 {
            return Some(from + first.trailing_zeros() as usize);
        }
        let rest = self.words.iter().enumerate().skip(from / 64 + 1);
        rest.map(|(i, &w)| (i, w))
            .find(|&(_, w)| w != 0)
            .map(|(i, w)| i * 64 + w.trailing_zeros() as usize)
    }

    /// Returns a 128-bit hash of this set, the same in every run and on every platform. Not meant
    /// to resist an adversary.
    pub fn fingerprint(&self) -> u128 {
        let (mut low, mut high) = (self.universe as u64, !(self.universe as u64));
        for &word in &self.words {
            low = mix(low ^ word);
            high = mix(high.rotate_left(23).wrapping_add(word ^ 0x9e37_79b9_7f4a_7c15));
        }
        u128::from(high) << 64 | u128::from(low)
    }

    /// Returns the circumstances in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| i * 64 + w.trailing_zeros() as usize)
        })
    }

    /// Returns those of this set that are not in `other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// Returns those of this set and those of `other`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// Returns whether every circumstance of this set is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.minus(other).is_empty()
    }

    fn zip(&self, other: &Self, op: impl Fn(u64, u64) -> u64) -> Self {
        assert_eq!(self.universe, other.universe, "sets of different universes");
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| op(a, b)).collect();
        Self { universe: self.universe, words }
    }
}

/// Returns the finalizer of splitmix64 (Steele, Lea & Flood 2014): every bit of the input moves
/// every bit of the result.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl std::fmt::Debug for Configuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
