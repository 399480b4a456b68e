//! The algorithms by name. No other file may depend on all of them.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::{Configuration, Ddmin, Fragments, Groups, Outcome, Recursive, Search};

/// Which algorithm to search with.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = String, parse_err_fn = unknown)]
pub enum Algorithm {
    /// `default`: [`Groups::search`].
    #[default]
    Default,
    /// `ddmin`: Zeller & Hildebrandt 2002.
    Ddmin,
    /// `recursive`: ddmin by recursion on halves.
    Recursive,
    /// `fragments`: each fragment of each length once.
    Fragments,
}

fn unknown(name: &str) -> String {
    format!("no algorithm is called {name:?}; there are {}", Algorithm::VARIANTS.join(", "))
}

/// Returns a search with `algorithm` over as many circumstances as there are weights, at which only
/// `default` looks.
///
/// The empty configuration is among the questions: algorithms that take its outcome for granted
/// ask it first. The result of `default` and `ddmin` is 1-minimal for any oracle.
pub fn minimizer(algorithm: Algorithm, weights: &[u32]) -> Box<dyn Search> {
    let count = weights.len();
    match algorithm {
        Algorithm::Default => Groups::new(weights).search(),
        Algorithm::Ddmin => EmptyFirst::boxed(Box::new(Ddmin::new(count))),
        Algorithm::Recursive => EmptyFirst::boxed(Box::new(Recursive::new(count))),
        Algorithm::Fragments => EmptyFirst::boxed(Box::new(Fragments::new(count))),
    }
}

/// A search that takes for granted that the empty configuration does not fail, after a test that
/// it does not.
///
/// The papers assume it of whole inputs; in a list somewhere in an input, all may be removable.
#[derive(Clone)]
struct EmptyFirst {
    search: Box<dyn Search>,
    empty: Configuration,
    /// Whether the empty configuration fails, once it was asked.
    is_empty: Option<bool>,
}

impl EmptyFirst {
    fn boxed(search: Box<dyn Search>) -> Box<dyn Search> {
        let empty = Configuration::none(search.kept().universe());
        let is_empty = (empty.universe() == 0).then_some(true);
        Box::new(Self { search, empty, is_empty })
    }
}

impl Search for EmptyFirst {
    fn ask(&self) -> Option<Configuration> {
        match self.is_empty {
            None => Some(self.empty.clone()),
            Some(true) => None,
            Some(false) => self.search.ask(),
        }
    }

    fn tell(&mut self, outcome: Outcome) {
        match self.is_empty {
            None => self.is_empty = Some(outcome == Outcome::Fail),
            Some(_) => self.search.tell(outcome),
        }
    }

    fn kept(&self) -> &Configuration {
        if self.is_empty == Some(true) { &self.empty } else { self.search.kept() }
    }
}
