//! A set of circumstances, by number.

use std::fmt;

use fixedbitset::FixedBitSet;

/// A subset of the circumstances `0..universe`, canonical and hashable.
#[derive(Clone, PartialEq, Eq, Hash)]
#[must_use]
pub struct Configuration(FixedBitSet);

impl Configuration {
    /// Returns the empty subset of `0..universe`.
    pub fn none(universe: usize) -> Self {
        Self(FixedBitSet::with_capacity(universe))
    }

    /// Returns all circumstances of `0..universe`.
    pub fn all(universe: usize) -> Self {
        let mut all = Self::none(universe);
        all.0.insert_range(..);
        all
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
        self.0.len()
    }

    /// Returns how many circumstances are in this set.
    pub fn len(&self) -> usize {
        self.0.count_ones(..)
    }

    /// Returns whether no circumstance is in this set.
    pub fn is_empty(&self) -> bool {
        self.0.is_clear()
    }

    /// Returns whether `circumstance` is in this set.
    pub fn contains(&self, circumstance: usize) -> bool {
        self.0.contains(circumstance)
    }

    /// Adds `circumstance`.
    ///
    /// # Panics
    /// If it is not below the universe.
    pub fn insert(&mut self, circumstance: usize) {
        self.0.insert(circumstance);
    }

    /// Takes `circumstance` out, if it is in.
    pub fn remove(&mut self, circumstance: usize) {
        self.0.remove(circumstance);
    }

    /// Returns this set without these.
    pub fn without(&self, circumstances: impl IntoIterator<Item = usize>) -> Self {
        let mut rest = self.clone();
        circumstances.into_iter().for_each(|c| rest.remove(c));
        rest
    }

    /// Returns the circumstances in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.ones()
    }

    /// Returns those of this set that are not in `other`.
    pub fn minus(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest.0.difference_with(&other.0);
        rest
    }

    /// Returns those of this set and those of `other`.
    pub fn plus(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.0.union_with(&other.0);
        both
    }

    /// Adds all that those of this set need, directly or not. Linear in these needs.
    pub fn close<I: IntoIterator<Item = usize>>(&mut self, needs: impl Fn(usize) -> I) {
        let mut open: Vec<usize> = self.iter().collect();
        while let Some(next) = open.pop() {
            for need in needs(next) {
                if !self.contains(need) {
                    self.insert(need);
                    open.push(need);
                }
            }
        }
    }

    /// Returns whether every circumstance of this set is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }
}

impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
