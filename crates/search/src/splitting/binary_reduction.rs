//! Binary reduction of a graph of dependencies.

use std::sync::Arc;

use crate::machine::Machine;
use crate::{Configuration, Outcome};

/// Binary reduction (Kalhauge & Palsberg, ESEC/FSE 2019): every question is closed under a graph
/// that says what each circumstance cannot do without. The circumstances are put in order, and each
/// is added together with all that it needs; the shortest such beginning that fails is found by
/// halving. The last addition is required from then on, and everything after it is gone. This goes
/// on until all that is left is required.
///
/// At most k·⌈log₂ n⌉ + k questions, where k additions are required. Three things differ from the
/// paper. A beginning is halved by its weight, and at first far below the middle (at the geometric
/// mean): mostly the failure needs little of what there is. The graph is only a hint, so that a
/// failure that needs more than the graph says is found in more steps; what is left after as many
/// of them as `most` allows is kept. And an addition that brings most of what is left may have been
/// required only for something that it brings: if what is left fails without it, the search begins
/// again at the other end, where little needs anything else.
#[derive(Clone)]
pub struct BinaryReduction {
    graph: Arc<Graph>,
    kept: Configuration,
    /// Closed under the graph.
    required: Configuration,
    /// The additions to the required circumstances, without those that add nothing.
    additions: Arc<[Addition]>,
    /// This many additions are not enough.
    low: usize,
    /// This many are.
    high: usize,
    /// So much was not enough when another graph counted.
    refused: u64,
    /// The kind of question.
    stage: Stage,
    /// The required additions, until it has been asked whether the rest fails without them.
    doubtful: Vec<Doubtful>,
    /// Whether the order is that of the other end.
    from_end: bool,
    /// The parts of the rest to ask about, the lightest first.
    parts: Arc<[Configuration]>,
    /// Whether additions are required together where it would win little to know which of them is.
    is_coarse: bool,
    /// Whether parts are asked about.
    is_parted: bool,
    /// How many required additions may still be looked for.
    most: u32,
}

/// What the search asks about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The required circumstances and the first additions.
    Halving,
    /// The required circumstances alone.
    Bare,
    /// The rest without this addition.
    Without(usize),
    /// This part of the rest and the required circumstances.
    Part(usize),
    /// Nothing any more.
    Over,
}

/// The weight of each circumstance, and the circumstances that it needs.
pub(crate) struct Graph {
    pub(crate) weights: Arc<[u32]>,
    pub(crate) needs: Arc<[Vec<u32>]>,
    /// For each circumstance: together with the first, it needs the second. Empty, or a list for
    /// each.
    pub(crate) together: Arc<[Vec<[u32; 2]>]>,
}

impl Graph {
    /// Adds a circumstance with all that it needs of `kept`, and returns the weight that was added.
    /// Linear in what is added and its needs.
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
            for &[other, need] in self.together.get(next).into_iter().flatten() {
                open.extend(within.contains(other as usize).then_some(need as usize));
            }
        }
        weight
    }

    /// Returns the weight of circumstances.
    fn weight(&self, of: &Configuration) -> u64 {
        of.iter().map(|circumstance| u64::from(self.weights[circumstance].max(1))).sum()
    }

    /// Returns whether no other one of these needs a circumstance. Linear in them and their needs.
    fn is_unneeded(&self, circumstance: usize, kept: &Configuration) -> bool {
        let needs = |other: usize| self.needs.get(other).into_iter().flatten();
        kept.iter().all(|other| !needs(other).any(|&need| need as usize == circumstance))
    }
}

/// A circumstance, with what it needs.
#[derive(Clone, Copy)]
struct Addition {
    circumstance: usize,
    /// Of this and all earlier additions.
    weight: u64,
}

/// A required addition.
#[derive(Clone, Copy)]
struct Doubtful {
    circumstance: usize,
    /// The weight of the circumstances that it has brought along.
    brought: u64,
}

impl BinaryReduction {
    /// Searches as many circumstances as there are weights, those first that stand first. `needs`
    /// has a list for each, or is empty; at most `most` required additions are looked for.
    pub fn new(weights: &[u32], needs: Arc<[Vec<u32>]>, most: u32) -> Self {
        let graph = Graph { weights: weights.into(), needs, together: Arc::from([]) };
        Self::of(Arc::new(graph), most)
    }

    /// Searches a graph.
    pub(crate) fn of(graph: Arc<Graph>, most: u32) -> Self {
        let count = graph.weights.len();
        let mut search = Self {
            graph,
            kept: Configuration::all(count),
            required: Configuration::none(count),
            additions: Arc::from([]),
            low: 0,
            high: 0,
            refused: 0,
            stage: Stage::Halving,
            doubtful: Vec::new(),
            from_end: false,
            parts: Arc::from([]),
            is_coarse: false,
            is_parted: false,
            most,
        };
        search.begin();
        search
    }

    /// Asks about parts of what lies after beginnings that do not fail, as long as none does, and
    /// requires additions together where it would win little to know which of them is.
    #[must_use]
    pub(crate) fn coarse(self) -> Self {
        Self { is_coarse: true, is_parted: true, ..self }
    }

    /// Lets another graph count from now on, which says more: what is required stays so, and
    /// beginnings as light as the one that is asked about now are not asked about again.
    pub(crate) fn trust_more(&mut self, graph: Arc<Graph>) {
        if self.stage == Stage::Halving && self.low < self.high {
            self.refused = self.additions[self.middle() - 1].weight;
        }
        self.graph = graph;
        self.begin();
    }

    /// Begins again with another graph, which says less: nothing is known to be required.
    pub(crate) fn trust_less(&mut self, graph: Arc<Graph>) {
        self.graph = graph;
        self.required = Configuration::none(self.required.universe());
        self.most = self.most.max(1);
        self.begin();
    }

    /// Ends the search with the circumstances that are kept.
    pub(crate) fn end(&mut self) {
        self.stage = Stage::Over;
    }

    /// Returns whether nothing is asked about any more.
    pub(crate) fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// Returns whether the question is about a part of the additions after the beginnings that
    /// passed.
    pub(crate) fn asks_about_part(&self) -> bool {
        matches!(self.stage, Stage::Part(_))
    }

    /// Sorts the circumstances that are kept but not required.
    fn begin(&mut self) {
        let mut within = self.required.clone();
        let mut additions = Vec::new();
        let mut weight = 0;
        let mut order: Vec<usize> = self.kept.iter().filter(|_| self.most > 0).collect();
        if self.from_end {
            order.reverse();
        }
        for circumstance in order {
            let added = self.graph.add(circumstance, &self.kept, &mut within);
            if added > 0 {
                weight += added;
                additions.push(Addition { circumstance, weight });
            }
        }
        (self.low, self.high) = (0, additions.len());
        self.additions = additions.into();
        let may_be_bare = self.high > 0 && !self.required.is_empty();
        self.stage = if may_be_bare { Stage::Bare } else { Stage::Halving };
        self.settle();
    }

    /// Goes on to the next required addition when one is found, and to the next doubt when all are.
    fn settle(&mut self) {
        if self.stage != Stage::Halving {
            return;
        }
        if self.high > self.low && (self.high == self.low + 1 || self.is_near()) {
            let graph = &self.graph;
            for &Addition { circumstance, .. } in &self.additions[self.low..self.high] {
                let brought = graph.add(circumstance, &self.kept, &mut self.required);
                let brought = brought.saturating_sub(u64::from(graph.weights[circumstance].max(1)));
                self.doubtful.push(Doubtful { circumstance, brought });
            }
            self.most = self.most.saturating_sub(1);
            self.begin();
        } else if self.high == 0 {
            self.stage = match self.doubt() {
                Some(circumstance) => Stage::Without(circumstance),
                None => Stage::Over,
            };
        }
    }

    /// Returns whether it would win little to know which of the additions is required.
    fn is_near(&self) -> bool {
        let weight = |count: usize| self.additions[count - 1].weight;
        self.is_coarse
            && self.low > 0
            && (weight(self.high) - weight(self.low)) * LITTLE <= weight(self.high)
    }

    /// Returns the last required addition that brings most of the rest, once.
    fn doubt(&mut self) -> Option<usize> {
        let doubtful = std::mem::take(&mut self.doubtful);
        let left = self.graph.weight(&self.kept);
        let is_heavy = |&&Doubtful { circumstance, brought }: &&Doubtful| {
            2 * brought >= left && self.graph.is_unneeded(circumstance, &self.kept)
        };
        let heavy = doubtful.iter().rfind(is_heavy).filter(|_| !self.from_end);
        heavy.map(|heavy| heavy.circumstance)
    }

    /// Divides what lies after the additions that are not enough into parts, each with what it
    /// needs, and asks about those that are light. `false` if there are none.
    fn divide(&mut self) -> bool {
        let [weight, total] = [self.low, self.high].map(|count| self.additions[count - 1].weight);
        let is_early = weight < total / EARLY;
        if !self.is_parted || is_early || self.high - self.low < 2 {
            return false;
        }
        let size = (total - weight).div_ceil(PARTS).max(1);
        // What weighs nothing is there anyway.
        let mut always = self.required.clone();
        let graph = &self.graph;
        for circumstance in self.kept.iter().filter(|&c| graph.weights[c] == 0) {
            graph.add(circumstance, &self.kept, &mut always);
        }
        let before = graph.weight(&always);
        let mut parts: Vec<(u64, Configuration)> = Vec::new();
        let mut end = weight;
        for addition in &self.additions[self.low..self.high] {
            if parts.is_empty() || addition.weight > end {
                parts.push((before, always.clone()));
                end = addition.weight.max(end + size);
            }
            if let Some((weight, part)) = parts.last_mut() {
                *weight += graph.add(addition.circumstance, &self.kept, part);
            }
        }
        parts.retain(|(weight, _)| 3 * weight <= 2 * total);
        parts.sort_by_key(|(weight, _)| *weight);
        self.parts = parts.into_iter().map(|(_, part)| part).collect();
        if !self.parts.is_empty() {
            self.stage = Stage::Part(0);
        }
        !self.parts.is_empty()
    }

    /// Returns the required circumstances with the first additions.
    fn with(&self, additions: usize) -> Configuration {
        let mut within = self.required.clone();
        for addition in &self.additions[..additions] {
            self.graph.add(addition.circumstance, &self.kept, &mut within);
        }
        within
    }

    /// Returns the rest without one circumstance.
    fn without(&self, circumstance: usize) -> Configuration {
        let mut left = self.kept.clone();
        left.remove(circumstance);
        left
    }

    /// Returns the number of additions to ask about, between `low` and `high`.
    fn middle(&self) -> usize {
        let weight = |additions: usize| self.additions[additions - 1].weight;
        let high = weight(self.high);
        let low =
            if self.low > 0 { weight(self.low) } else { high.isqrt().max(self.refused.min(high)) };
        let wanted = low.saturating_mul(high).isqrt();
        let middle = self.additions.partition_point(|addition| addition.weight <= wanted);
        middle.clamp(self.low + 1, self.high - 1)
    }
}

/// Beginnings are asked about until they hold 1/n of the rest.
const EARLY: u64 = 4;

/// Less than 1/n of the rest is little.
const LITTLE: u64 = 8;

/// The number of parts into which the rest is divided.
const PARTS: u64 = 3;

impl Machine for BinaryReduction {
    fn question(&self) -> Option<Configuration> {
        match self.stage {
            Stage::Bare => Some(self.required.clone()),
            Stage::Without(heavy) => Some(self.without(heavy)),
            Stage::Part(part) => Some(self.parts[part].clone()),
            Stage::Halving => (self.low < self.high).then(|| self.with(self.middle())),
            Stage::Over => None,
        }
    }

    fn answer(&mut self, outcome: Outcome) {
        let fails = outcome == Outcome::Fail;
        match std::mem::replace(&mut self.stage, Stage::Halving) {
            Stage::Bare if fails => {
                self.kept = self.required.clone();
                (self.low, self.high) = (0, 0);
            }
            Stage::Bare => {}
            Stage::Without(heavy) if fails => {
                self.kept = self.without(heavy);
                self.required = Configuration::none(self.required.universe());
                self.from_end = true;
                self.begin();
                return;
            }
            Stage::Without(_) => {}
            Stage::Part(part) if fails => {
                self.refused = 0;
                self.kept = self.parts[part].clone();
                self.begin();
                return;
            }
            Stage::Part(part) if part + 1 < self.parts.len() => {
                self.stage = Stage::Part(part + 1);
                return;
            }
            // More than one of them is needed.
            Stage::Part(_) => self.is_parted = false,
            Stage::Halving if fails => {
                let middle = self.middle();
                self.refused = 0;
                self.kept = self.with(middle);
                self.high = middle;
                self.is_parted = false;
            }
            Stage::Halving => {
                self.low = self.middle();
                if self.divide() {
                    return;
                }
            }
            Stage::Over => self.stage = Stage::Over,
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
    fn what_brings_most_may_be_needed_only_for_a_part_of_it() {
        // The first needs all others, and those after it need each other in a chain.
        let mut needs: Vec<Vec<u32>> = (0..100).map(|c| vec![c + 1]).collect();
        needs[0] = (1..100).collect();
        needs[99] = vec![];
        for (wanted, least) in [(80, 20), (99, 1), (0, 100)] {
            let (left, questions) = reduce(&needs, 9, |kept| kept.contains(wanted));
            assert_eq!(left.len(), least, "{wanted}");
            assert!(questions <= 12, "{questions} for {wanted}");
        }
    }

    #[test]
    fn nothing_to_search_is_no_question() {
        assert_eq!(reduce(&[], 9, |_| true), (vec![], 0));
        assert_eq!(reduce(&[vec![], vec![]], 0, |_| true), (vec![0, 1], 0));
    }
}
