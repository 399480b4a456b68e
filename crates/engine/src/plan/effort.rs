//! How much a reduction spends on getting out of local minima.

use std::fmt;
use std::str::FromStr;

/// How much a reduction spends, once no single edit helps any more, on ways that lead through texts that
/// are not smaller: 1 … 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Effort(u8);

impl Effort {
    /// Only what costs next to nothing.
    pub const LEAST: Self = Self(1);
    /// About ten times as many tests as with [`LEAST`](Self::LEAST).
    pub const MOST: Self = Self(9);

    /// Returns the number, 1 … 9. Rules name the least one from which on they are tried.
    pub fn level(self) -> u8 {
        self.0
    }

    /// Returns how many answers sideways steps and restarts may take for each hundred others.
    pub(crate) fn percent(self) -> u64 {
        PERCENT[usize::from(self.0 - 1)]
    }

    /// Returns the number of answers within which a text that is not smaller must lead to one that is.
    pub(crate) fn patience(self) -> u32 {
        match self.0 {
            ..=4 => 60,
            5..=6 => 120,
            _ => 400,
        }
    }

    /// Returns whether around a text under trial everything is tried again, not only what has changed.
    pub(crate) fn is_forgetful(self) -> bool {
        self.0 >= 7
    }

    /// Returns how often the reduction begins again with other orders of its passes.
    pub(crate) fn restarts(self) -> u32 {
        u32::from(self.0.saturating_sub(RESTARTS_FROM - 1))
    }
}

/// The efforts from which on a reduction begins again.
const RESTARTS_FROM: u8 = 6;

/// For each effort, see [`Effort::percent`].
const PERCENT: [u64; 9] = [0, 5, 10, 25, 50, 100, 200, 400, 900];

impl Default for Effort {
    fn default() -> Self {
        Self::LEAST
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Effort {
    type Err = UnknownEffort;

    fn from_str(text: &str) -> Result<Self, UnknownEffort> {
        let number = text.parse().ok().map(Self);
        number
            .filter(|effort| (Self::LEAST..=Self::MOST).contains(effort))
            .ok_or_else(|| UnknownEffort(text.to_owned()))
    }
}

/// The error for a text that is no effort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEffort(pub String);

impl fmt::Display for UnknownEffort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no number from {} to {}", self.0, Effort::LEAST, Effort::MOST)
    }
}

impl std::error::Error for UnknownEffort {}

#[cfg(test)]
mod tests {
    use super::Effort;

    #[test]
    fn numbers_are_read_back_and_spend_more_and_more() {
        let all: Vec<Effort> = (1..=9).map(|n| n.to_string().parse().unwrap()).collect();
        assert!(all.is_sorted_by(|a, b| a.percent() < b.percent()));
        assert!(all.is_sorted_by_key(|e| (e.patience(), e.restarts())));
        assert_eq!((all[0], all[8]), (Effort::LEAST, Effort::MOST));
        for wrong in ["0", "10", "-1", "much", ""] {
            let error = wrong.parse::<Effort>().unwrap_err().to_string();
            assert!(error.ends_with("is no number from 1 to 9"), "{error}");
        }
    }
}
