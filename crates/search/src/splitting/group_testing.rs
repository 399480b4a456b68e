//! The default search: generalised binary splitting whose group size follows the rate of needed
//! circumstances.

use std::ops::Range;
use std::sync::Arc;

use crate::machine::Machine;
use crate::splitting::rates::{Neighbour, Rates};
use crate::wave::Wave;
use crate::{Configuration, First, Galloping, Minimizer, Outcome, Swept};

/// How to search a list of circumstances by groups. They are tried in rising order, so whoever
/// numbers them puts uses before definitions.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The weight of each circumstance (tokens, say). There are as many circumstances as weights.
    pub weights: Vec<u32>,
    /// The size of the first group.
    pub first: First,
    /// Whether to end with tests of every single circumstance that is left, so that the result is
    /// 1-minimal for any oracle. Without it, circumstances that were only inferred to be needed
    /// are left to the caller.
    pub sweep: bool,
    /// What each circumstance cannot do without, as far as the caller knows: empty, or one list for
    /// each. Once a circumstance is found needed, all that it needs in turn is kept without a
    /// question (the closures of Kalhauge & Palsberg 2019, taken as a hint; the sweep decides).
    pub needs: Arc<[Vec<u32>]>,
    /// How many groups to ask about at a time, each on the same base (at least one). What can go alone
    /// then goes together, or in halves where it does not.
    pub width: usize,
}

impl Groups {
    /// Returns the default for these weights: all at once first, sweep at the end.
    pub fn new(weights: &[u32]) -> Self {
        Self {
            weights: weights.to_vec(),
            first: First::default(),
            sweep: true,
            needs: Arc::default(),
            width: 1,
        }
    }

    /// Returns generalised binary splitting (Hwang 1972) with an on-line two-state estimate of the
    /// rate of needed circumstances.
    ///
    /// About log₂ C(n, k) tests to find k needed among n circumstances, fewer where they are
    /// clustered, and at most k more for the sweep if the oracle is monotone; O(n²) if it is not.
    pub fn search(self) -> Box<dyn Minimizer> {
        let sweep = self.sweep;
        swept(Splitting::new(self), sweep)
    }

    /// Returns the same list, order and sweep with group sizes that double on success and go to a
    /// quarter on failure.
    pub fn gallop(self) -> Box<dyn Minimizer> {
        swept(Galloping::new(self.weights.len(), self.first), self.sweep)
    }
}

fn swept<M: Machine>(scan: M, sweep: bool) -> Box<dyn Minimizer> {
    if sweep { Box::new(Swept::new(scan)) } else { Box::new(scan) }
}

/// One pass over the list. No question comes twice: each starts at a circumstance, or removes
/// from a configuration, that no earlier one did.
#[derive(Clone)]
struct Splitting {
    weights: Arc<[u32]>,
    needs: Arc<[Vec<u32>]>,
    rates: Rates,
    width: usize,
    /// The circumstances in the order of questions. In the parts that are still open, there are none
    /// that are kept as the needs of others.
    order: Arc<[usize]>,
    /// What is undecided, in rising order; all of it is kept.
    open: Vec<Part>,
    /// The questions under way. Its groups are at the beginnings of the first open parts.
    wave: Wave,
    /// Which circumstances were found to be needed.
    needed: Configuration,
    /// How many circumstances the last question of the wave removes.
    group: usize,
    /// Whether no needed circumstance was met so far, so that the rates are only the prior.
    untouched: bool,
    /// Whether groups are halves as long as that is so.
    halves: bool,
}

/// Neighbours that are undecided.
#[derive(Clone)]
struct Part {
    /// Places in the order.
    places: Range<usize>,
    /// Whether they are known to hold a needed circumstance.
    is_suspect: bool,
}

impl Splitting {
    fn new(options: Groups) -> Self {
        let count = options.weights.len();
        let order: Arc<[usize]> = (0..count).collect();
        let mut splitting = Self {
            wave: Wave::new(Configuration::all(count), &order, []),
            open: vec![Part { places: 0..count, is_suspect: false }],
            needed: Configuration::none(count),
            weights: options.weights.into(),
            needs: options.needs,
            order,
            rates: Rates::new(),
            width: options.width.max(1),
            group: 0,
            untouched: true,
            halves: options.first == First::Halves,
        };
        splitting.begin(Some(options.first.size(count)));
        splitting
    }

    /// Notes what a wave has found, and begins the next one.
    fn next(&mut self) {
        let mut open = Vec::new();
        let mut found = Vec::new();
        let mut groups = self.wave.groups().iter().cloned().enumerate().peekable();
        let mut previous = Neighbour::Removed;
        for Part { places, is_suspect } in std::mem::take(&mut self.open) {
            let mut at = places.start;
            let mut is_suspect = is_suspect;
            if groups.peek().is_some_and(|(_, group)| group.start == at) {
                previous = self.before(at);
            }
            while let Some((number, group)) = groups.next_if(|(_, group)| group.start == at) {
                at = group.end;
                if self.wave.has_gone(number) {
                    self.rates.removed(previous, group.len());
                    previous = Neighbour::Removed;
                    continue;
                }
                is_suspect = false;
                if group.len() == 1 {
                    self.rates.needed(previous);
                    previous = Neighbour::Needed;
                    found.push(group.start);
                } else {
                    open.push(Part { places: group, is_suspect: true });
                }
            }
            let rest = at..places.end;
            if is_suspect && rest.len() == 1 {
                // The only one left of a group that could not go as a whole.
                self.rates.needed(previous);
                previous = Neighbour::Needed;
                found.push(rest.start);
            } else {
                open.push(Part { places: rest, is_suspect });
            }
        }
        self.open = joined(open);
        self.untouched &= found.is_empty();
        let found: Vec<usize> = found.into_iter().map(|place| self.order[place]).collect();
        found.iter().for_each(|&circumstance| self.needed.insert(circumstance));
        self.keep_needs_of(found);
        self.begin(None);
    }

    /// Takes all that these circumstances need, directly or not, out of the questions to come.
    fn keep_needs_of(&mut self, found: Vec<usize>) {
        if self.needs.is_empty() || found.is_empty() {
            return;
        }
        let mut kept = Configuration::none(self.needed.universe());
        let mut open = found;
        while let Some(next) = open.pop() {
            for need in self.needs[next].iter().map(|&n| n as usize) {
                if !kept.contains(need) {
                    kept.insert(need);
                    open.push(need);
                }
            }
        }
        let mut order = Vec::with_capacity(self.order.len());
        for part in &mut self.open {
            // The one before it stays for its rate.
            order.extend(part.places.start.checked_sub(1).map(|before| self.order[before]));
            let start = order.len();
            let undecided = self.order[part.places.clone()].iter();
            order.extend(undecided.filter(|&&circumstance| !kept.contains(circumstance)));
            let places = start..order.len();
            // What was taken out may be what made the others suspect.
            let is_suspect = part.is_suspect && places.len() == part.places.len();
            *part = Part { places, is_suspect };
        }
        self.order = order.into();
        self.open = joined(std::mem::take(&mut self.open));
    }

    /// Begins the next wave, whose first group has the size that is given.
    fn begin(&mut self, mut first: Option<usize>) {
        let mut groups = Vec::new();
        for Part { places, is_suspect } in &self.open {
            let mut at = places.start;
            let mut previous = self.before(at);
            while at < places.end && groups.len() < self.width {
                let left = places.end - at;
                let is_first_suspect = *is_suspect && at == places.start;
                self.group = match first.take() {
                    Some(size) => size,
                    None if is_first_suspect && self.untouched && self.halves => left.div_ceil(2),
                    None if is_first_suspect => self.median(at..places.end, previous),
                    None if self.untouched => (self.group * 2).min(left),
                    None => self.rates.group(previous, left),
                };
                groups.push(at..at + self.group);
                at += self.group;
                previous = Neighbour::Removed;
            }
        }
        self.wave = Wave::new(self.wave.kept().clone(), &self.order, groups);
    }

    /// Returns what the circumstance before this place turned out to be.
    fn before(&self, place: usize) -> Neighbour {
        let before = place.checked_sub(1).map(|before| self.order[before]);
        match before.is_some_and(|before| self.needed.contains(before)) {
            true => Neighbour::Needed,
            false => Neighbour::Removed,
        }
    }

    /// Returns where to cut suspects: at the median of the first needed one; where few
    /// circumstances have most of the weight, at half the weight, since heavy ones are more often
    /// needed (Zhou et al. 2025).
    fn median(&self, suspects: Range<usize>, previous: Neighbour) -> usize {
        let suspects = &self.order[suspects];
        let weights = || suspects.iter().map(|&c| u64::from(self.weights[c]));
        let total: u64 = weights().sum();
        let heaviest = weights().max().unwrap_or(0);
        if heaviest * suspects.len() as u64 <= SKEWED * total {
            return self.rates.median(previous, suspects.len());
        }
        let mut seen = 0;
        let lighter = weights().take_while(|&w| {
            seen += w;
            seen * 2 <= total
        });
        lighter.count().clamp(1, suspects.len() - 1)
    }
}

/// Returns the parts that are not empty; neighbours of which nothing is known become one.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts.into_iter().filter(|part| !part.places.is_empty()) {
        match joined.last_mut().filter(|last| last.places.end == part.places.start) {
            Some(last) if !last.is_suspect && !part.is_suspect => last.places.end = part.places.end,
            _ => joined.push(part),
        }
    }
    joined
}

/// From this ratio of the heaviest to the mean weight on, groups are cut by weight.
const SKEWED: u64 = 8;

impl Machine for Splitting {
    fn question(&self) -> Option<Configuration> {
        self.wave.question()
    }

    fn answer(&mut self, outcome: Outcome) {
        assert!(!self.wave.is_over(), "told after the end");
        self.wave.answer(outcome);
        if self.wave.is_over() {
            self.next();
        }
    }

    fn best(&self) -> &Configuration {
        self.wave.kept()
    }

    fn goes_on(&self) -> bool {
        self.wave.goes_on()
    }
}
