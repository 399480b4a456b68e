//! A set of circumstances, by number. Knows nothing about what they stand for.

/// A subset of the circumstances `0..universe`, canonical and hashable.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration {
    universe: usize,
    words: Vec<u64>,
}

impl Configuration {
    /// No circumstance of `0..universe`.
    pub fn none(universe: usize) -> Self {
        Self { universe, words: vec![0; universe.div_ceil(64)] }
    }

    /// All circumstances of `0..universe`.
    pub fn all(universe: usize) -> Self {
        let mut words = vec![u64::MAX; universe.div_ceil(64)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), universe % 64) {
            *last = (1 << rest) - 1;
        }
        Self { universe, words }
    }

    /// The given circumstances out of `0..universe`.
    ///
    /// # Panics
    /// When a circumstance is not below `universe`.
    pub fn of(universe: usize, circumstances: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::none(universe);
        circumstances.into_iter().for_each(|c| set.insert(c));
        set
    }

    /// How many circumstances there are in all, in this set or not.
    pub fn universe(&self) -> usize {
        self.universe
    }

    /// How many circumstances are in this set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether no circumstance is in this set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// Whether `circumstance` is in this set.
    pub fn contains(&self, circumstance: usize) -> bool {
        self.words.get(circumstance / 64).is_some_and(|w| w >> (circumstance % 64) & 1 == 1)
    }

    /// Adds `circumstance`.
    ///
    /// # Panics
    /// When it is not below the universe.
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

    /// The circumstances in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| i * 64 + w.trailing_zeros() as usize)
        })
    }

    /// Those of this set that are not in `other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// Those of this set and those of `other`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// Whether every circumstance of this set is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.minus(other).is_empty()
    }

    fn zip(&self, other: &Self, op: impl Fn(u64, u64) -> u64) -> Self {
        assert_eq!(self.universe, other.universe, "sets of different universes");
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| op(a, b)).collect();
        Self { universe: self.universe, words }
    }
}

impl std::fmt::Debug for Configuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
