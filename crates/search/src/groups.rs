//! The default search: generalised binary splitting whose group size follows the rate of needed
//! circumstances.

use std::sync::Arc;

use crate::rates::{Neighbour, Rates};
use crate::{Configuration, Outcome, Search, Swept};

/// How many circumstances to try in the first question, before anything is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// All at once: one test more, and the only one where nothing is needed.
    #[default]
    All,
    /// All at once, then halves until something needed is met: for many circumstances of which, for
    /// all we know, any may do (characters, bytes).
    Halves,
    /// One, for lists where little is expected to go.
    One,
}

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
}

impl Groups {
    /// Returns the default for these weights: all at once first, sweep at the end.
    pub fn new(weights: &[u32]) -> Self {
        Self {
            weights: weights.to_vec(),
            first: First::default(),
            sweep: true,
            needs: Arc::default(),
        }
    }

    /// Returns generalised binary splitting (Hwang 1972) with an on-line two-state estimate of the
    /// rate of needed circumstances.
    ///
    /// About log₂ C(n, k) tests to find k needed among n circumstances, fewer where they are
    /// clustered, and at most k more for the sweep if the oracle is monotone; O(n²) if it is not.
    pub fn search(self) -> Box<dyn Search> {
        let sweep = self.sweep;
        let scan = Splitting::new(self);
        if sweep { Box::new(Swept::new(scan)) } else { Box::new(scan) }
    }
}

/// One pass over the list. No question comes twice: each starts at a circumstance, or removes
/// from a configuration, that no earlier one did.
#[derive(Clone)]
struct Splitting {
    kept: Configuration,
    weights: Arc<[u32]>,
    needs: Arc<[Vec<u32>]>,
    rates: Rates,
    /// The circumstances in the order of questions, without those kept as the needs of others.
    order: Vec<usize>,
    /// All before this place of the order are decided, all from here on are kept.
    at: usize,
    previous: Neighbour,
    /// How many circumstances from `at` on the question removes; 0 when done.
    group: usize,
    /// How many from `at` on hold a needed one; 0 when nothing is known.
    suspects: usize,
    /// Whether no needed circumstance was met so far, so that the rates are only the prior.
    untouched: bool,
    /// Whether groups are halves as long as that is so.
    halves: bool,
}

impl Splitting {
    fn new(options: Groups) -> Self {
        let count = options.weights.len();
        Self {
            kept: Configuration::all(count),
            weights: options.weights.into(),
            needs: options.needs,
            order: (0..count).collect(),
            rates: Rates::new(),
            at: 0,
            previous: Neighbour::Removed,
            group: if options.first == First::One { count.min(1) } else { count },
            suspects: 0,
            untouched: true,
            halves: options.first == First::Halves,
        }
    }

    fn needed(&mut self) {
        self.rates.needed(self.previous);
        self.previous = Neighbour::Needed;
        self.keep_needs_of(self.order[self.at]);
        self.at += 1;
        self.suspects = 0;
        self.untouched = false;
    }

    /// Takes all that `circumstance` needs, directly or not, out of the questions to come.
    fn keep_needs_of(&mut self, circumstance: usize) {
        if self.needs.is_empty() {
            return;
        }
        let mut kept = Configuration::of(self.kept.universe(), [circumstance]);
        kept.close(|next| self.needs[next].iter().map(|&need| need as usize));
        let mut undecided = self.order.split_off(self.at + 1);
        undecided.retain(|&c| !kept.contains(c));
        self.order.append(&mut undecided);
    }

    fn group(&self) -> &[usize] {
        &self.order[self.at..self.at + self.group]
    }

    fn next_group(&self) -> usize {
        let left = self.order.len() - self.at;
        if self.suspects > 1 && self.untouched && self.halves {
            self.suspects.div_ceil(2)
        } else if self.suspects > 1 {
            self.median()
        } else if left == 0 {
            0
        } else if self.untouched {
            (self.group * 2).min(left)
        } else {
            self.rates.group(self.previous, left)
        }
    }

    /// Returns where to cut the suspects: at the median of the first needed one; where few
    /// circumstances have most of the weight, at half the weight, since heavy ones are more often
    /// needed (Zhou et al. 2025).
    fn median(&self) -> usize {
        let suspects = &self.order[self.at..self.at + self.suspects];
        let weights = || suspects.iter().map(|&c| u64::from(self.weights[c]));
        let total: u64 = weights().sum();
        let heaviest = weights().max().unwrap_or(0);
        if heaviest * self.suspects as u64 <= SKEWED * total {
            return self.rates.median(self.previous, self.suspects);
        }
        let mut seen = 0;
        let lighter = weights().take_while(|&w| {
            seen += w;
            seen * 2 <= total
        });
        lighter.count().clamp(1, self.suspects - 1)
    }
}

/// From this ratio of the heaviest to the mean weight on, groups are cut by weight.
const SKEWED: u64 = 8;

impl Search for Splitting {
    fn ask(&self) -> Option<Configuration> {
        (self.group > 0).then(|| self.kept.without(self.group().iter().copied()))
    }

    fn tell(&mut self, outcome: Outcome) {
        assert!(self.group > 0, "told after the end");
        if outcome == Outcome::Fail {
            for at in self.at..self.at + self.group {
                self.kept.remove(self.order[at]);
            }
            self.rates.removed(self.previous, self.group);
            self.previous = Neighbour::Removed;
            self.at += self.group;
            self.suspects = self.suspects.saturating_sub(self.group);
            if self.suspects == 1 {
                // The only one left of a group that could not go as a whole.
                self.needed();
            }
        } else if self.group == 1 {
            self.needed();
        } else {
            self.suspects = self.group;
        }
        self.group = self.next_group();
    }

    fn kept(&self) -> &Configuration {
        &self.kept
    }
}
