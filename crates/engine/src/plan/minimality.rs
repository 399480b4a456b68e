//! How many edits at once a certificate rules out.

use std::fmt;
use std::str::FromStr;

/// How many of the certificate's edits are tried at once on the final result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Minimality {
    /// `1`: each edit alone (1-minimal).
    #[default]
    Single,
    /// `2`: each edit alone, then every two of them together (2-minimal). Costs up to the square of the
    /// number of edits.
    Pairs,
}

impl fmt::Display for Minimality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Single => "1",
            Self::Pairs => "2",
        })
    }
}

impl FromStr for Minimality {
    type Err = UnknownMinimality;

    fn from_str(text: &str) -> Result<Self, UnknownMinimality> {
        let all = [Self::Single, Self::Pairs];
        all.into_iter()
            .find(|minimality| minimality.to_string() == text)
            .ok_or_else(|| UnknownMinimality(text.to_owned()))
    }
}

/// The error for a text that is no minimality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMinimality(pub String);

impl fmt::Display for UnknownMinimality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is neither 1 (single edits) nor 2 (pairs of them, too)", self.0)
    }
}

impl std::error::Error for UnknownMinimality {}

#[cfg(test)]
mod tests {
    use super::Minimality;

    #[test]
    fn numbers_are_read_back() {
        for minimality in [Minimality::Single, Minimality::Pairs] {
            assert_eq!(minimality.to_string().parse(), Ok(minimality));
        }
        let error = "3".parse::<Minimality>().expect_err("nobody can wait for that").to_string();
        assert!(error.starts_with("\"3\" is neither"), "{error}");
    }
}
