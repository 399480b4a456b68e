//! Things that can be there or not, each by itself: words of a command line, variables. Knows only
//! their numbers, which are the candidate.

use std::sync::Arc;

use minirepro_search::Configuration;

use crate::level::Circumstances;

/// A choice of numbered things. The candidate is the numbers of those that are there, with spaces
/// between them.
#[derive(Clone, Debug)]
pub struct Choice(Vec<usize>);

impl Choice {
    /// A choice among the things with these numbers.
    pub fn new(numbers: Vec<usize>) -> Self {
        Self(numbers)
    }

    /// The candidate in which exactly these are there.
    pub fn text(numbers: impl IntoIterator<Item = usize>) -> Vec<u8> {
        let numbers: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
        numbers.join(" ").into_bytes()
    }

    /// The numbers that a candidate names.
    pub fn numbers(text: &[u8]) -> Vec<usize> {
        let numbers = text.split(|&b| b == b' ').filter_map(|n| std::str::from_utf8(n).ok());
        numbers.filter_map(|n| n.parse().ok()).collect()
    }
}

impl Circumstances for Choice {
    fn name(&self) -> &'static str {
        "words"
    }

    fn weights(&self) -> Vec<u32> {
        vec![1; self.0.len()]
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        Some(Self::text(there.iter().map(|i| self.0[i])))
    }

    fn members(&self, there: &Configuration) -> Vec<usize> {
        there.iter().map(|i| self.0[i]).collect()
    }

    fn finer(&self, _: &Configuration, _: &Configuration) -> Option<Arc<dyn Circumstances>> {
        None
    }
}
