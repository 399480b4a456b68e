//! How many questions are asked at a time.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// How many edits are asked about at a time where each is tried by itself: 1 … 1000. With more than one,
/// all are tried on the same text, and what works alone is tried together, or in halves where it does not
/// work together.
///
/// Part of what decides a run; how many tests run at the same time is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Width(NonZeroUsize);

impl Width {
    /// One question after the other.
    pub const ONE: Self = Self(NonZeroUsize::MIN);

    /// Returns the number, 1 … 1000.
    pub fn get(self) -> usize {
        self.0.get()
    }
}

/// More than can be independent in any list that is worth it.
const MOST: usize = 1000;

impl Default for Width {
    fn default() -> Self {
        Self::ONE
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Width {
    type Err = UnknownWidth;

    fn from_str(text: &str) -> Result<Self, UnknownWidth> {
        let number: Option<NonZeroUsize> = text.parse().ok();
        number
            .filter(|number| number.get() <= MOST)
            .map(Self)
            .ok_or_else(|| UnknownWidth(text.to_owned()))
    }
}

/// The error for a text that is no width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWidth(pub String);

impl fmt::Display for UnknownWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no number from 1 to {MOST}", self.0)
    }
}

impl std::error::Error for UnknownWidth {}

#[cfg(test)]
mod tests {
    use super::Width;

    #[test]
    fn numbers_are_read_back() {
        for text in ["1", "16", "1000"] {
            let width: Width = text.parse().expect("a width");
            assert_eq!((width.to_string(), width.get().to_string()), (text.into(), text.into()));
        }
        for wrong in ["0", "1001", "-1", "wide", ""] {
            let error = wrong.parse::<Width>().expect_err("no width").to_string();
            assert!(error.ends_with("is no number from 1 to 1000"), "{error}");
        }
    }
}
