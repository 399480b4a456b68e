//! Binary reduction of a graph of dependencies.

use std::sync::Arc;

use crate::machine::Machine;
use crate::{Configuration, Outcome};

/// Binary reduction (Kalhauge & Palsberg, ESEC/FSE 2019): every question is closed under a graph that
/// says what each circumstance cannot do without. The circumstances are put in order, and each is
/// added together with all that it needs; the shortest such beginning that fails is found by halving.
/// The last addition is required from then on, and what lies behind it is gone. This goes on until
/// all that is left is required.
///
/// At most k·⌈log₂ n⌉ + k questions, where k additions are required. Two things differ from the paper.
/// A beginning is halved by its weight, and at first far below the middle (at the geometric mean):
/// mostly the failure needs little of what there is. And the graph is only a hint, so that a failure
/// that needs more than the graph says is found in more steps; what is left after as many of them as
/// `most` allows is kept.
#[derive(Clone)]
pub struct BinaryReduction {
    graph: Arc<Graph>,
    kept: Configuration,
    /// Closed under the graph.
    required: Configuration,
    /// The additions to what is required, without those that add nothing.
    additions: Arc<[Addition]>,
    /// This many additions are not enough.
    low: usize,
    /// This many are.
    high: usize,
    /// Whether the question is what is required and nothing else.
    bare: bool,
    /// How many required additions may still be looked for.
    most: u32,
}

/// What each circumstance weighs, and what it cannot do without.
struct Graph {
    weights: Vec<u32>,
    needs: Arc<[Vec<u32>]>,
}

impl Graph {
    /// Adds a circumstance with all that it needs of `kept`, and returns the weight that was added. Linear
    /// in what is added and its needs.
    fn add(&self, circumstance: usize, kept: &Configuration, within: &mut Configuration) -> u64 {
        let mut weight = 0;
        let mut open = vec![circumstance];
        while let Some(next) = open.pop() {
            if within.contains(next) || !kept.contains(next) {
                continue;
            }
            within.insert(next);
            weight += u64::from(self.weights[next].max(1));
            open.extend(self.needs.get(next).into_iter().flatten().map(|&need| need as usize));
        }
        weight
    }
}

/// A circumstance, with what it needs.
#[derive(Clone, Copy)]
struct Addition {
    circumstance: usize,
    /// Of this and all earlier additions.
    weight: u64,
}

impl BinaryReduction {
    /// Searches as many circumstances as there are weights, those first that stand first. `needs` has a
    /// list for each, or is empty; at most `most` required additions are looked for.
    pub fn new(weights: &[u32], needs: Arc<[Vec<u32>]>, most: u32) -> Self {
        let count = weights.len();
        let mut search = Self {
            graph: Arc::new(Graph { weights: weights.to_vec(), needs }),
            kept: Configuration::all(count),
            required: Configuration::none(count),
            additions: Arc::from([]),
            low: 0,
            high: 0,
            bare: false,
            most,
        };
        search.begin();
        search
    }

    /// Puts what is kept and not required in order.
    fn begin(&mut self) {
        let mut within = self.required.clone();
        let mut additions = Vec::new();
        let mut weight = 0;
        for circumstance in self.kept.iter().filter(|_| self.most > 0) {
            let added = self.graph.add(circumstance, &self.kept, &mut within);
            if added > 0 {
                weight += added;
                additions.push(Addition { circumstance, weight });
            }
        }
        (self.low, self.high) = (0, additions.len());
        self.additions = additions.into();
        self.bare = self.high > 0 && !self.required.is_empty();
        self.settle();
    }

    /// Goes on to the next required addition when one is found.
    fn settle(&mut self) {
        if self.high > 0 && self.high == self.low + 1 && !self.bare {
            let found = self.additions[self.low].circumstance;
            self.graph.add(found, &self.kept, &mut self.required);
            self.most = self.most.saturating_sub(1);
            self.begin();
        }
    }

    /// Returns what is required with the first additions.
    fn with(&self, additions: usize) -> Configuration {
        let mut within = self.required.clone();
        for addition in &self.additions[..additions] {
            self.graph.add(addition.circumstance, &self.kept, &mut within);
        }
        within
    }

    /// Returns the number of additions to ask about, between `low` and `high`.
    fn middle(&self) -> usize {
        let weight = |additions: usize| {
            additions.checked_sub(1).map_or(1, |last| self.additions[last].weight)
        };
        let wanted = weight(self.low).saturating_mul(weight(self.high)).isqrt();
        let middle = self.additions.partition_point(|addition| addition.weight <= wanted);
        middle.clamp(self.low + 1, self.high - 1)
    }
}

impl Machine for BinaryReduction {
    fn question(&self) -> Option<Configuration> {
        if self.bare {
            Some(self.required.clone())
        } else {
            (self.low < self.high).then(|| self.with(self.middle()))
        }
    }

    fn answer(&mut self, outcome: Outcome) {
        let fails = outcome == Outcome::Fail;
        if std::mem::take(&mut self.bare) {
            if fails {
                self.kept = self.required.clone();
                (self.low, self.high) = (0, 0);
            }
        } else if fails {
            let middle = self.middle();
            self.kept = self.with(middle);
            self.high = middle;
        } else {
            self.low = self.middle();
        }
        self.settle();
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Minimizer as _, Search as _};

    /// Returns what is left, and how many questions were asked.
    fn reduce(
        needs: &[Vec<u32>],
        most: u32,
        fails: impl Fn(&Configuration) -> bool,
    ) -> (Vec<usize>, u32) {
        let weights = vec![1; needs.len()];
        let mut search = BinaryReduction::new(&weights, needs.to_vec().into(), most);
        let mut questions = 0;
        while let Some(question) = search.ask() {
            questions += 1;
            let is_closed = question
                .iter()
                .all(|c| needs[c].iter().all(|&need| question.contains(need as usize)));
            assert!(is_closed, "{question:?}");
            search.tell(if fails(&question) { Outcome::Fail } else { Outcome::Pass });
        }
        assert!(fails(search.kept()));
        (search.kept().iter().collect(), questions)
    }

    #[test]
    fn what_is_needed_is_found_with_its_needs() {
        // Each needs its double: 7, 14, 28, 56 …
        let needs: Vec<Vec<u32>> =
            (0..100).map(|c| if c > 0 && c < 50 { vec![2 * c] } else { vec![] }).collect();
        let (left, questions) = reduce(&needs, 9, |kept| kept.contains(7));
        assert_eq!(left, [7, 14, 28, 56]);
        assert!(questions <= 9, "{questions}");
        let (left, questions) = reduce(&needs, 9, |kept| kept.contains(3) && kept.contains(81));
        assert_eq!(left, [3, 6, 12, 24, 48, 81, 96]);
        assert!(questions <= 16, "{questions}");
    }

    #[test]
    fn what_the_graph_does_not_know_is_found_as_well() {
        let needs = vec![Vec::new(); 64];
        let wanted = [5, 23, 62];
        let fails = |kept: &Configuration| wanted.iter().all(|&c| kept.contains(c));
        assert_eq!(reduce(&needs, 9, fails).0, wanted);
        let (left, _) = reduce(&needs, 1, fails);
        assert_eq!(left.last(), Some(&62), "the rest is kept: {left:?}");
    }

    #[test]
    fn nothing_to_search_is_no_question() {
        assert_eq!(reduce(&[], 9, |_| true), (vec![], 0));
        assert_eq!(reduce(&[vec![], vec![]], 0, |_| true), (vec![0, 1], 0));
    }
}
