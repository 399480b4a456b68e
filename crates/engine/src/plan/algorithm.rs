//! The algorithms that a user can choose from: which passes, and which search over their lists.

use std::fmt;
use std::str::FromStr;

use minirepro_passes::{HDD, HDDR, PERSES, PUMPS, Pass, of as passes_of};
use minirepro_search::Algorithm as Search;
use minirepro_syntax::Language;

use crate::Scope;

/// An algorithm: which passes run, and how their lists of edits are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// All passes of this program with this search over their lists.
    Lists(Search),
    /// `hdd`: hierarchical delta debugging by levels with ddmin (Misherghi & Su 2006), to a
    /// fixpoint.
    Hdd,
    /// `hddr`: the same by the children of one node after the other (Kiss et al. 2018).
    Hddr,
    /// `perses`: syntax-guided reduction with ddmin (Sun et al. 2018), to a fixpoint.
    Perses,
}

impl Algorithm {
    /// Returns all algorithms, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        Search::ALL.into_iter().map(Self::Lists).chain([Self::Hdd, Self::Hddr, Self::Perses])
    }

    /// Returns the name that [`FromStr`] reads.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lists(search) => search.name(),
            Self::Hdd => "hdd",
            Self::Hddr => "hddr",
            Self::Perses => "perses",
        }
    }

    pub(crate) fn search(self) -> Search {
        match self {
            Self::Lists(search) => search,
            Self::Hdd | Self::Hddr | Self::Perses => Search::Ddmin,
        }
    }

    /// Returns its passes in the order of a round.
    pub(crate) fn passes(self, scope: &Scope, language: &Language) -> Vec<Pass> {
        match self {
            Self::Lists(_) => passes_of(language).into_iter().filter(|p| scope.has(p)).collect(),
            Self::Hdd => vec![HDD],
            Self::Hddr => vec![HDDR],
            Self::Perses => vec![PERSES],
        }
    }

    /// Returns the passes whose edits may make the text larger.
    pub(crate) fn pumps(self, scope: &Scope) -> Vec<Pass> {
        match self {
            Self::Lists(_) => PUMPS.iter().copied().filter(|pass| scope.has(pass)).collect(),
            Self::Hdd | Self::Hddr | Self::Perses => Vec::new(),
        }
    }
}

impl Default for Algorithm {
    fn default() -> Self {
        Self::Lists(Search::default())
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::all().find(|a| a.name() == name).ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

/// The error for a name that no algorithm has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm(pub String);

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Algorithm::all().map(Algorithm::name).collect();
        write!(f, "no algorithm is called {:?}; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownAlgorithm {}

#[cfg(test)]
mod tests {
    use super::Algorithm;

    #[test]
    fn names_are_read_back() {
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        let error = "zzz".parse::<Algorithm>().expect_err("no such algorithm").to_string();
        assert!(error.contains("\"zzz\"") && error.contains("hddr"), "{error}");
    }
}
