//! A set of numbered things, such as words of a command line or variables. A candidate is the list
//! of the numbers that are left.

use std::sync::Arc;

use minirepro_search::Configuration;

use crate::circumstances::Circumstances;

/// A choice of numbered things, of which some belong together: they go as one at first, then each
/// by itself. The candidate is the numbers of those that are there, with spaces between them.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Those that are there in any case.
    always: Vec<usize>,
    groups: Vec<Vec<usize>>,
}

impl Choice {
    /// Returns a choice among the things with these numbers; the second of a pair follows the
    /// first.
    pub fn new(numbers: &[usize], pairs: &[(usize, usize)]) -> Self {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &number in numbers {
            let belongs = |last: &Vec<usize>| last.iter().any(|&l| pairs.contains(&(l, number)));
            match groups.last_mut().filter(|last| belongs(last)) {
                Some(last) => last.push(number),
                None => groups.push(vec![number]),
            }
        }
        Self { always: Vec::new(), groups }
    }

    /// Returns the candidate in which exactly these are there.
    pub fn text(numbers: impl IntoIterator<Item = usize>) -> Vec<u8> {
        let numbers: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
        numbers.join(" ").into_bytes()
    }

    fn members(&self, there: &Configuration) -> Vec<usize> {
        let chosen = there.iter().flat_map(|i| &self.groups[i]);
        let mut members: Vec<usize> = self.always.iter().chain(chosen).copied().collect();
        members.sort_unstable();
        members
    }

    /// Returns the numbers that a candidate names.
    pub fn numbers(text: &[u8]) -> Vec<usize> {
        let text = String::from_utf8_lossy(text);
        text.split(' ').filter_map(|number| number.parse().ok()).collect()
    }
}

impl Circumstances for Choice {
    fn name(&self) -> &'static str {
        let coupled = self.groups.iter().any(|group| group.len() > 1);
        if coupled { "words with their arguments" } else { "words" }
    }

    fn weights(&self) -> Vec<u32> {
        self.groups.iter().map(|group| u32::try_from(group.len()).unwrap_or(1)).collect()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        Some(Self::text(self.members(there)))
    }

    fn finer(
        &self,
        passing: &Configuration,
        failing: &Configuration,
    ) -> Option<Arc<dyn Circumstances>> {
        let open = failing.minus(passing);
        if open.iter().all(|i| self.groups[i].len() < 2) {
            return None;
        }
        let groups = open.iter().flat_map(|i| self.groups[i].clone()).map(|n| vec![n]).collect();
        Some(Arc::new(Self { always: self.members(passing), groups }))
    }
}
