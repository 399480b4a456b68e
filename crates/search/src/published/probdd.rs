//! Probabilistic delta debugging: a probability for each circumstance, updated by outcomes.

use crate::machine::Machine;
use crate::{Configuration, Outcome};

/// ProbDD (Wang et al., FSE 2021): each circumstance has a probability to be needed; the question
/// leaves out the group, least probable first, with the largest expected gain; a failed removal
/// raises the probabilities of its group by Bayes' rule.
///
/// O(n) questions, each O(n log n). 1-minimal only for monotone oracles.
#[derive(Clone)]
pub struct ProbDd {
    kept: Configuration,
    /// Undecided circumstances with their probabilities, least probable first, then by number.
    open: Vec<(f64, usize)>,
    /// How many of `open` the question leaves out.
    group: usize,
}

/// The probability that ProbDD starts from in its authors' experiments (σ).
pub(crate) const SIGMA: f64 = 0.1;

impl ProbDd {
    /// Searches `0..circumstances`, each needed with the same probability at first, as in the
    /// paper.
    pub fn new(circumstances: usize) -> Self {
        let open = (0..circumstances).map(|c| (SIGMA, c)).collect();
        let mut search = Self { kept: Configuration::all(circumstances), open, group: 0 };
        search.group = search.best_group();
        search
    }

    /// Returns the length of the prefix with the largest expected number of removals.
    fn best_group(&self) -> usize {
        let mut best = 0;
        let mut best_gain = -1.0;
        let mut chance = 1.0;
        for (i, (p, _)) in self.open.iter().enumerate() {
            chance *= 1.0 - p;
            let gain = (i + 1) as f64 * chance;
            if gain > best_gain {
                (best, best_gain) = (i + 1, gain);
            } else {
                // Chances only get worse from here on, so the gain has but one maximum.
                break;
            }
        }
        best
    }
}

impl Machine for ProbDd {
    fn question(&self) -> Option<Configuration> {
        (self.group > 0).then(|| {
            let mut question = self.kept.clone();
            self.open[..self.group].iter().for_each(|&(_, c)| question.remove(c));
            question
        })
    }

    fn answer(&mut self, outcome: Outcome) {
        if outcome == Outcome::Fail {
            self.kept = self.question().expect("told only what was asked");
            self.open.drain(..self.group);
        } else if self.group == 1 {
            // It is needed: its probability is one, and it never comes up again.
            self.open.remove(0);
        } else {
            let group = &mut self.open[..self.group];
            let all_free: f64 = group.iter().map(|(p, _)| 1.0 - p).product();
            group.iter_mut().for_each(|(p, _)| *p /= 1.0 - all_free);
            self.open.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        self.group = self.best_group();
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}
