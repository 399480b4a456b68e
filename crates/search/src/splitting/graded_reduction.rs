//! Binary reduction where it is not known how much of a graph is true.

use std::sync::Arc;

use crate::machine::Machine;
use crate::splitting::binary_reduction::{BinaryReduction, Graph};
use crate::{Configuration, Outcome};

/// Binary reduction of a graph that is known in several degrees, each of which says all that the
/// one before says, and more.
///
/// The search begins with the second one. Where the first questions show that it says too little,
/// the next one counts. When all that is left is required, the search begins again with the first
/// one, which says least, as long as that wins something. As long as no beginning fails, what lies
/// after the ones that did not is asked about in parts; and where it would win little to know which
/// addition is required, several are.
#[derive(Clone)]
pub struct GradedReduction {
    graphs: Arc<[Arc<Graph>]>,
    /// The one that counts.
    degree: usize,
    search: BinaryReduction,
    /// The questions that may be answered in vain before the next degree counts, as long as none
    /// fails.
    in_vain: Option<u32>,
    /// Whether the second degree says more than the first.
    doubts: bool,
    /// The questions that may be answered in vain in the search with the least degree, after which
    /// it ends.
    last: u32,
}

impl GradedReduction {
    /// Searches as many circumstances as there are weights, those first that stand first. Each
    /// degree adds to the needs of the one before; it is empty, or has a list for each
    /// circumstance. `together` says what is needed where two others are both kept: these two, and
    /// what they need. At most `most` required additions are looked for.
    pub fn new(weights: &[u32], degrees: &[&[Vec<u32>]], together: &[[u32; 3]], most: u32) -> Self {
        let weights: Arc<[u32]> = weights.into();
        let mut by_one = vec![Vec::new(); if together.is_empty() { 0 } else { weights.len() }];
        for &[one, other, need] in together {
            by_one[one as usize].push([other, need]);
            by_one[other as usize].push([one, need]);
        }
        let together: Arc<[Vec<[u32; 2]>]> = by_one.into();
        let mut graphs: Vec<Arc<Graph>> = Vec::new();
        for (number, added) in degrees.iter().enumerate() {
            let adds_some = added.iter().any(|needs| !needs.is_empty());
            let known = graphs.last();
            // The second degree is there even if it says nothing more: it is searched otherwise
            // than the first.
            if number > 1 && !adds_some {
                continue;
            }
            let before = |c: usize| known.map_or(&[][..], |graph| &graph.needs[c]);
            let more = |c: usize| added.get(c).map_or(&[][..], Vec::as_slice);
            let needs = (0..weights.len()).map(|c| [before(c), more(c)].concat()).collect();
            let together = Arc::clone(&together);
            graphs.push(Arc::new(Graph { weights: Arc::clone(&weights), needs, together }));
        }
        let doubts =
            degrees.get(1).is_some_and(|added| added.iter().any(|needs| !needs.is_empty()));
        let degree = usize::from(graphs.len() > 1);
        let first = graphs.get(degree).cloned();
        let needs = Arc::from([]);
        let first = first.unwrap_or_else(|| Arc::new(Graph { weights, needs, together }));
        let mut search = Self {
            in_vain: (graphs.len() > degree + 1).then_some(IN_VAIN),
            graphs: graphs.into(),
            degree,
            search: BinaryReduction::of(first, most).coarse(),
            doubts,
            last: FEW,
        };
        search.doubt();
        search
    }

    /// Begins again with the least degree when all that is left is required.
    fn doubt(&mut self) {
        let says_more = self.degree > 1 || self.degree == 1 && self.doubts;
        if self.search.is_over() && says_more {
            self.degree = 0;
            self.in_vain = None;
            self.search.trust_less(Arc::clone(&self.graphs[0]));
        }
    }

    /// Counts the questions that did not fail, and returns whether the search has begun again or
    /// ended because of them.
    fn is_in_vain(&mut self, fails: bool) -> bool {
        if self.degree == 0 && self.graphs.len() > 1 {
            self.last = if fails { FEW } else { self.last.saturating_sub(1) };
            if self.last == 0 {
                self.search.end();
                return true;
            }
        }
        if self.search.asks_about_part() && !fails {
            return false;
        }
        let Some(left) = self.in_vain.filter(|_| !fails) else {
            self.in_vain = None;
            return false;
        };
        self.in_vain = left.checked_sub(1);
        if self.in_vain.is_some() {
            return false;
        }
        self.degree += 1;
        self.search.trust_more(Arc::clone(&self.graphs[self.degree]));
        self.in_vain = (self.degree + 1 < self.graphs.len()).then_some(IN_VAIN);
        true
    }
}

/// The number of questions that may pass before the next one shows that the graph is incomplete.
const IN_VAIN: u32 = 2;

/// The same for the search with the least degree.
const FEW: u32 = 6;

impl Machine for GradedReduction {
    fn question(&self) -> Option<Configuration> {
        self.search.question()
    }

    fn answer(&mut self, outcome: Outcome) {
        if !self.is_in_vain(outcome == Outcome::Fail) {
            self.search.answer(outcome);
        }
        self.doubt();
    }

    fn best(&self) -> &Configuration {
        self.search.best()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Minimizer as _, Search as _};

    /// Returns what is left, and how many questions were asked.
    fn reduce(
        degrees: &[&[Vec<u32>]],
        fails: impl Fn(&Configuration) -> bool,
    ) -> (Vec<usize>, u32) {
        let weights = vec![1; degrees[0].len()];
        let mut search = GradedReduction::new(&weights, degrees, &[], 9);
        let mut questions = 0;
        while let Some(question) = search.ask() {
            questions += 1;
            search.tell(if fails(&question) { Outcome::Fail } else { Outcome::Pass });
        }
        (search.kept().iter().collect(), questions)
    }

    #[test]
    fn a_graph_that_says_more_is_asked_where_this_one_says_too_little() {
        // All even ones are needed with the odd ones after them.
        let needs: Vec<Vec<u32>> =
            (0..64).map(|c| if c % 2 == 0 && c < 62 { vec![c + 2] } else { vec![] }).collect();
        let possible: Vec<Vec<u32>> =
            (0..64).map(|c| if c % 2 == 0 { vec![c + 1] } else { vec![] }).collect();
        let fails = |kept: &Configuration| (48..64).all(|c| kept.contains(c));
        let (left, questions) = reduce(&[&needs, &[], &possible], fails);
        assert!(left.iter().all(|&c| c >= 48), "{left:?}");
        assert!(questions <= 24, "{questions}");
    }

    #[test]
    fn what_is_only_probably_needed_is_doubted_at_the_end() {
        // The first needs half of the others, probably.
        let needs = vec![Vec::new(); 64];
        let mut probable = needs.clone();
        probable[0] = (20..52).collect();
        let (left, questions) = reduce(&[&needs, &probable, &[]], |kept| kept.contains(30));
        assert!(left.contains(&30) && left.len() <= 2, "{left:?}");
        assert!(questions <= 16, "{questions}");
    }

    #[test]
    fn what_two_need_together_stays_with_both() {
        // Each of the first ten needs that of the last ten with which it shares a name, if the name
        // is kept.
        let needs = vec![Vec::new(); 40];
        let together: Vec<[u32; 3]> = (0..10).map(|c| [c, 10 + c, 30 + c]).collect();
        let mut search = GradedReduction::new(&[1; 40], &[&needs, &[]], &together, 9);
        while let Some(question) = search.ask() {
            for &[one, other, need] in &together {
                let [one, other, need] = [one, other, need].map(|c| question.contains(c as usize));
                assert!(need || !(one && other), "{question:?}");
            }
            let fails = question.contains(4) && question.contains(14);
            search.tell(if fails { Outcome::Fail } else { Outcome::Pass });
        }
        assert_eq!(search.kept().iter().collect::<Vec<_>>(), [4, 14, 34]);
    }

    #[test]
    fn what_lies_behind_beginnings_is_asked_about_in_parts() {
        let needs: Vec<Vec<u32>> = vec![Vec::new(); 4096];
        let mut largest = usize::MAX;
        let fails = |kept: &Configuration| kept.contains(4000);
        let weights = vec![1; needs.len()];
        let mut search = GradedReduction::new(&weights, &[&needs, &[]], &[], 9);
        for _ in 0..8 {
            let Some(question) = search.ask() else { break };
            let fails = fails(&question);
            search.tell(if fails { Outcome::Fail } else { Outcome::Pass });
            largest = search.kept().len();
        }
        assert!(largest <= 1024, "{largest} are left after eight questions");
    }
}
