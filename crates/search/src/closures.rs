//! Searches a list of which it is known, more or less, which circumstances need which.

use std::sync::Arc;

use crate::{Configuration, Outcome, Search};

/// Binary reduction (Kalhauge & Palsberg, ESEC/FSE 2019): every question is closed under a graph
/// that says what each circumstance cannot do without. The circumstances are put in order, and each
/// is added together with all that it needs; the shortest such beginning that fails is found by
/// halving. The last addition is required from then on, and everything after it is gone. This goes
/// on until all that is left is required.
///
/// At most k·⌈log₂ n⌉ + k questions, where k additions are required. It differs from the paper
/// where the graph is only a hint:
///
/// * A beginning is halved by its weight, and at first far below the middle (at the geometric
///   mean): mostly the failure needs little of what there is. As long as no beginning fails, what
///   lies after those that did not is asked about in parts; and where it would win little to know
///   which addition is required, several are.
/// * A failure that needs more than the graph says is found in more steps; what is left after as
///   many of them as `most` allows is kept. The graph is known in three degrees, each of which says
///   all that the one before says, and more. The search begins with the second one. Where the first
///   questions show that it says too little, the next one counts. When all that is left is
///   required, the search begins again with the first one, which says least, as long as that wins
///   something.
/// * An addition that brings most of what is left may have been required only for something that it
///   brings: if what is left fails without it, the search begins again at the other end, where
///   little needs anything else.
#[derive(Clone)]
pub struct Closures {
    graph: Arc<Graph>,
    /// The degree of the graph that counts.
    degree: usize,
    /// The questions that may be answered in vain before the next degree counts, as long as none
    /// fails.
    in_vain: Option<u32>,
    /// Those that may be answered in vain with the least degree, after which the search ends.
    last: u32,
    kept: Configuration,
    /// Closed under the graph.
    required: Configuration,
    /// The additions to the required circumstances, without those that add nothing.
    additions: Arc<[Addition]>,
    /// This many additions are not enough.
    low: usize,
    /// This many are.
    high: usize,
    /// So much was not enough when another degree counted.
    refused: u64,
    stage: Stage,
    /// The required additions, each with the weight of what it has brought along, until it has been
    /// asked whether the rest fails without them.
    doubtful: Vec<(usize, u64)>,
    /// Whether the order is that of the other end.
    from_end: bool,
    /// The parts of the rest to ask about, the lightest first.
    parts: Arc<[Configuration]>,
    /// Whether parts are asked about.
    is_parted: bool,
    /// How many required additions may still be looked for.
    most: u32,
}

/// The kind of question.
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
struct Graph {
    weights: Vec<u32>,
    /// By degree and circumstance.
    needs: Vec<Vec<Vec<u32>>>,
    /// For each circumstance: together with the first, it needs the second. Empty, or a list for
    /// each.
    together: Vec<Vec<[u32; 2]>>,
}

/// A circumstance, with the weight of this and all earlier additions.
#[derive(Clone, Copy)]
struct Addition {
    circumstance: usize,
    weight: u64,
}

/// Beginnings are asked about until they hold 1/n of the rest.
const EARLY: u64 = 4;

/// Less than 1/n of the rest is little.
const LITTLE: u64 = 8;

/// The number of parts into which the rest is divided.
const PARTS: u64 = 3;

/// The number of questions that may pass before the next one shows that the graph is incomplete.
const IN_VAIN: u32 = 2;

/// The same for the search with the least degree.
const FEW: u32 = 6;

impl Graph {
    fn new(weights: &[u32], degrees: [&[Vec<u32>]; 3], pairs: &[[u32; 3]]) -> Self {
        let mut together = vec![Vec::new(); if pairs.is_empty() { 0 } else { weights.len() }];
        for &[one, other, need] in pairs {
            together[one as usize].push([other, need]);
            together[other as usize].push([one, need]);
        }
        let mut needs: Vec<Vec<Vec<u32>>> = Vec::new();
        for (number, added) in degrees.into_iter().enumerate() {
            // The second degree is there even if it says nothing more: it is searched otherwise
            // than the first.
            if number > 1 && added.iter().all(Vec::is_empty) {
                continue;
            }
            let before = |c: usize| needs.last().map_or(&[][..], |all| &all[c]);
            let more = |c: usize| added.get(c).map_or(&[][..], Vec::as_slice);
            let all = (0..weights.len()).map(|c| [before(c), more(c)].concat()).collect();
            needs.push(all);
        }
        Self { weights: weights.to_vec(), needs, together }
    }

    fn weight_of(&self, circumstance: usize) -> u64 {
        u64::from(self.weights[circumstance].max(1))
    }

    fn weight(&self, of: &Configuration) -> u64 {
        of.iter().map(|circumstance| self.weight_of(circumstance)).sum()
    }

    /// Adds a circumstance with all that it needs of `kept`, and returns the weight that was added.
    /// Linear in what is added and its needs.
    fn add(
        &self,
        degree: usize,
        circumstance: usize,
        kept: &Configuration,
        within: &mut Configuration,
    ) -> u64 {
        let mut weight = 0;
        let mut open = vec![circumstance];
        while let Some(next) = open.pop() {
            if within.contains(next) || !kept.contains(next) {
                continue;
            }
            within.insert(next);
            weight += self.weight_of(next);
            open.extend(self.needs[degree][next].iter().map(|&need| need as usize));
            for &[other, need] in self.together.get(next).into_iter().flatten() {
                open.extend(within.contains(other as usize).then_some(need as usize));
            }
        }
        weight
    }
}

impl Closures {
    /// Searches as many circumstances as there are weights, those first that stand first. Each
    /// degree adds to the needs of the one before; it is empty, or has a list for each
    /// circumstance. `together` says what is needed where two others are both kept: these two, and
    /// what they need. At most `most` required additions are looked for.
    pub fn new(
        weights: &[u32],
        degrees: [&[Vec<u32>]; 3],
        together: &[[u32; 3]],
        most: u32,
    ) -> Self {
        let count = weights.len();
        let graph = Graph::new(weights, degrees, together);
        let mut search = Self {
            in_vain: (graph.needs.len() > 2).then_some(IN_VAIN),
            graph: Arc::new(graph),
            degree: 1,
            last: FEW,
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
            is_parted: true,
            most,
        };
        search.begin();
        search.trust_less();
        search
    }

    /// Begins again with the least degree when all that is left is required by one that says more.
    fn trust_less(&mut self) {
        let needs = &self.graph.needs;
        let is_over = self.stage == Stage::Over;
        if is_over && (self.degree > 1 || self.degree == 1 && needs[0] != needs[1]) {
            (self.degree, self.in_vain) = (0, None);
            self.required = Configuration::none(self.required.universe());
            self.most = self.most.max(1);
            self.begin();
        }
    }

    /// Counts the questions that did not fail, and returns whether the search has begun again or
    /// ended because of them.
    fn is_in_vain(&mut self, fails: bool) -> bool {
        if self.degree == 0 {
            self.last = if fails { FEW } else { self.last.saturating_sub(1) };
            if self.last == 0 {
                self.stage = Stage::Over;
                return true;
            }
        }
        if matches!(self.stage, Stage::Part(_)) && !fails {
            return false;
        }
        let left = self.in_vain.filter(|_| !fails);
        self.in_vain = left.and_then(|left| left.checked_sub(1));
        if left.is_none() || self.in_vain.is_some() {
            return false;
        }
        // From now on, a degree counts that says more: what is required stays so, and beginnings as
        // light as this one are not asked about again.
        if self.stage == Stage::Halving && self.low < self.high {
            self.refused = self.additions[self.middle() - 1].weight;
        }
        self.degree += 1;
        self.in_vain = (self.degree + 1 < self.graph.needs.len()).then_some(IN_VAIN);
        self.begin();
        true
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
            let added = self.add(circumstance, &mut within);
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

    /// Adds a circumstance with all that it needs; see [`Graph::add`].
    fn add(&self, circumstance: usize, within: &mut Configuration) -> u64 {
        self.graph.add(self.degree, circumstance, &self.kept, within)
    }

    /// Goes on to the next required addition when one is found, and to the next doubt when all are.
    fn settle(&mut self) {
        if self.stage != Stage::Halving {
            return;
        }
        if self.high > self.low && (self.high == self.low + 1 || self.is_near()) {
            let mut required = self.required.clone();
            for &Addition { circumstance, .. } in &self.additions[self.low..self.high] {
                let brought = self.add(circumstance, &mut required);
                let brought = brought.saturating_sub(self.graph.weight_of(circumstance));
                self.doubtful.push((circumstance, brought));
            }
            self.required = required;
            self.most = self.most.saturating_sub(1);
            self.begin();
        } else if self.high == 0 {
            self.stage = self.doubt().map_or(Stage::Over, Stage::Without);
        }
    }

    /// Returns whether it would win little to know which of the additions is required.
    fn is_near(&self) -> bool {
        let weight = |count: usize| self.additions[count - 1].weight;
        self.low > 0 && (weight(self.high) - weight(self.low)) * LITTLE <= weight(self.high)
    }

    /// Returns the last required addition that brings most of the rest, and that nothing else of it
    /// needs, once.
    fn doubt(&mut self) -> Option<usize> {
        let doubtful = std::mem::take(&mut self.doubtful);
        let left = self.graph.weight(&self.kept);
        let needs = &self.graph.needs[self.degree];
        let is_needed = |circumstance: usize| {
            self.kept.iter().any(|other| needs[other].iter().any(|&n| n as usize == circumstance))
        };
        let heavy = doubtful.iter().rfind(|(c, brought)| 2 * brought >= left && !is_needed(*c));
        heavy.filter(|_| !self.from_end).map(|(circumstance, _)| *circumstance)
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
        for circumstance in self.kept.iter().filter(|&c| self.graph.weights[c] == 0) {
            self.add(circumstance, &mut always);
        }
        let before = self.graph.weight(&always);
        let mut parts: Vec<(u64, Configuration)> = Vec::new();
        let mut end = weight;
        for addition in &self.additions[self.low..self.high] {
            if parts.is_empty() || addition.weight > end {
                parts.push((before, always.clone()));
                end = addition.weight.max(end + size);
            }
            if let Some((weight, part)) = parts.last_mut() {
                *weight += self.add(addition.circumstance, part);
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
            self.add(addition.circumstance, &mut within);
        }
        within
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

    /// Takes the answer to a question that was not in vain.
    fn answer(&mut self, fails: bool) {
        match std::mem::replace(&mut self.stage, Stage::Halving) {
            Stage::Bare if fails => {
                self.kept = self.required.clone();
                (self.low, self.high) = (0, 0);
            }
            Stage::Bare => {}
            Stage::Without(heavy) if fails => {
                self.kept = self.kept.without([heavy]);
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
}

impl Search for Closures {
    fn ask(&self) -> Option<Configuration> {
        match self.stage {
            Stage::Bare => Some(self.required.clone()),
            Stage::Without(heavy) => Some(self.kept.without([heavy])),
            Stage::Part(part) => Some(self.parts[part].clone()),
            Stage::Halving => (self.low < self.high).then(|| self.with(self.middle())),
            Stage::Over => None,
        }
    }

    fn tell(&mut self, outcome: Outcome) {
        let fails = outcome == Outcome::Fail;
        if !self.is_in_vain(fails) {
            self.answer(fails);
        }
        self.trust_less();
    }

    fn kept(&self) -> &Configuration {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is left, and how many questions were asked.
    fn reduce(
        degrees: [&[Vec<u32>]; 3],
        fails: impl Fn(&Configuration) -> bool,
    ) -> (Vec<usize>, u32) {
        let weights = vec![1; degrees[0].len()];
        let mut search = Closures::new(&weights, degrees, &[], 9);
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
        let (left, questions) = reduce([&needs, &[], &possible], fails);
        assert!(left.iter().all(|&c| c >= 48), "{left:?}");
        assert!(questions <= 24, "{questions}");
    }

    #[test]
    fn what_is_only_probably_needed_is_doubted_at_the_end() {
        // The first needs half of the others, probably.
        let needs = vec![Vec::new(); 64];
        let mut probable = needs.clone();
        probable[0] = (20..52).collect();
        let (left, questions) = reduce([&needs, &probable, &[]], |kept| kept.contains(30));
        assert!(left.contains(&30) && left.len() <= 2, "{left:?}");
        assert!(questions <= 16, "{questions}");
    }

    #[test]
    fn what_two_need_together_stays_with_both() {
        // Each of the first ten needs that of the last ten with which it shares a name, if the name
        // is kept.
        let needs = vec![Vec::new(); 40];
        let together: Vec<[u32; 3]> = (0..10).map(|c| [c, 10 + c, 30 + c]).collect();
        let mut search = Closures::new(&[1; 40], [&needs, &[], &[]], &together, 9);
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
        let mut search = Closures::new(&weights, [&needs, &[], &[]], &[], 9);
        for _ in 0..8 {
            let Some(question) = search.ask() else { break };
            let fails = fails(&question);
            search.tell(if fails { Outcome::Fail } else { Outcome::Pass });
            largest = search.kept().len();
        }
        assert!(largest <= 1024, "{largest} are left after eight questions");
    }

    #[test]
    fn what_brings_most_may_be_needed_only_for_a_part_of_it() {
        // The first needs all others, and those after it need each other in a chain.
        let mut needs: Vec<Vec<u32>> = (0..100).map(|c| vec![c + 1]).collect();
        needs[0] = (1..100).collect();
        needs[99] = vec![];
        for (wanted, least) in [(80, 20), (99, 1), (0, 100)] {
            let (left, questions) = reduce([&needs, &[], &[]], |kept| kept.contains(wanted));
            assert_eq!(left.len(), least, "{wanted}");
            assert!(questions <= 12, "{questions} for {wanted}");
        }
    }
}
