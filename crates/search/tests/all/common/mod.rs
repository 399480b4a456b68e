//! Drives searches in tests: oracles are closures, answers come at once.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use minirepro_search::{Algorithm, Configuration, Outcome, Search};
use strum::VariantNames as _;

/// An oracle on configurations.
pub type Oracle<'a> = &'a dyn Fn(&Configuration) -> Outcome;

/// Returns all algorithms.
pub fn all() -> impl Iterator<Item = Algorithm> {
    Algorithm::VARIANTS.iter().filter_map(|name| name.parse().ok())
}

/// Runs `search` to its end and returns its questions with their outcomes.
pub fn run(search: &mut dyn Search, oracle: Oracle<'_>) -> Vec<(Configuration, Outcome)> {
    let mut told = Vec::new();
    while let Some(question) = search.ask() {
        let outcome = oracle(&question);
        search.tell(outcome);
        told.push((question, outcome));
        assert!(told.len() < 1_000_000, "the search does not end");
    }
    told
}

/// Runs `search` to its end and returns what it keeps and the number of questions.
pub fn reduce(mut search: Box<dyn Search>, oracle: Oracle<'_>) -> (Configuration, usize) {
    let told = run(&mut *search, oracle);
    (search.kept().clone(), told.len())
}

/// Returns the characters of `text` that are kept.
pub fn text_of(text: &str, kept: &Configuration) -> String {
    text.chars().enumerate().filter(|&(i, _)| kept.contains(i)).map(|(_, c)| c).collect()
}

/// Returns an oracle that fails if the kept characters of `text` do.
pub fn on_text<'a>(
    text: &'a str,
    fails: impl Fn(&str) -> bool + 'a,
) -> impl Fn(&Configuration) -> Outcome + 'a {
    move |kept| if fails(&text_of(text, kept)) { Outcome::Fail } else { Outcome::Pass }
}

/// Returns whether no single circumstance can be taken from `kept` such that it still fails.
pub fn is_1_minimal(kept: &Configuration, oracle: Oracle<'_>) -> bool {
    kept.iter().all(|c| oracle(&kept.without([c])) != Outcome::Fail)
}

/// Returns a number that depends on a configuration and a seed alone.
pub fn draw(kept: &Configuration, seed: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kept, seed).hash(&mut hasher);
    hasher.finish()
}

/// Splitmix64, so that a test's random choices are the same on every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
