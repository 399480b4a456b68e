//! Estimates how probable it is that a candidate fails, by the pass that has made it and by the pass's last
//! answer.
//!
//! How far ahead it pays to look depends on it alone. Must not decide anything: estimates only say which
//! tests are run ahead.

use std::collections::HashMap;

/// What an estimate goes by: the pass, and its last answer in this turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Turn {
    pass: &'static str,
    /// Whether the last candidate failed; `None` before the first answer.
    failed: Option<bool>,
}

impl Turn {
    /// Returns this turn if it is that of `pass`, or else a new one.
    pub(crate) fn of(self, pass: &'static str) -> Self {
        if self.pass == pass { self } else { Self { pass, failed: None } }
    }

    /// Returns the same turn after another answer.
    pub(crate) fn told(self, fails: bool) -> Self {
        Self { failed: Some(fails), ..self }
    }

    /// Returns the rate that is expected before there are any answers.
    fn expected(self) -> f64 {
        let rates = RATES.iter().find(|(pass, _)| *pass == self.pass);
        let [first, after_failure, after_refusal] = rates.map_or(OTHERS, |(_, rates)| *rates);
        match self.failed {
            None => first,
            Some(true) => after_failure,
            Some(false) => after_refusal,
        }
    }
}

/// For passes that ask much: how often the first candidate of a turn fails, one after another that failed, and
/// one after a refusal. Of ten of the real cases that `cargo xtask bench wide --trace` takes, one job each.
const RATES: [(&str, [f64; 3]); 10] = [
    ("delete-and-hoist", [0.07, 0.20, 0.10]),
    ("flat", [0.10, 0.68, 0.36]),
    ("hollow", [0.12, 0.50, 0.31]),
    ("largest-lists", [0.04, 0.83, 0.36]),
    ("lists", [0.08, 0.67, 0.30]),
    ("merge-names", [0.10, 0.50, 0.03]),
    ("normalize", [0.10, 0.60, 0.35]),
    ("remove-symbol", [0.05, 0.50, 0.15]),
    ("remove-tokens", [0.15, 0.31, 0.14]),
    ("rewrite", [0.08, 0.40, 0.05]),
];

/// The same for all other passes.
const OTHERS: [f64; 3] = [0.15, 0.63, 0.17];

/// As many answers as an expectation counts.
const BELIEF: f64 = 20.0;

/// The weight of an answer after the next one of its kind.
const MEMORY: f64 = 0.95;

/// The answers of a run so far, recent ones more than old ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odds {
    counts: HashMap<Turn, Count>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    failures: f64,
    all: f64,
}

impl Odds {
    /// Returns the probability that the next candidate of this turn fails: 0 … 1, both excluded.
    pub(crate) fn failure(&self, turn: Turn) -> f64 {
        let Count { failures, all } = self.counts.get(&turn).copied().unwrap_or_default();
        (failures + BELIEF * turn.expected()) / (all + BELIEF)
    }

    /// Takes the answer to a question of this turn.
    pub(crate) fn learn(&mut self, turn: Turn, fails: bool) {
        let count = self.counts.entry(turn).or_default();
        count.failures = count.failures * MEMORY + f64::from(u8::from(fails));
        count.all = count.all * MEMORY + 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_and_their_last_answers_have_rates_of_their_own() {
        let mut odds = Odds::default();
        let begun = |pass| Turn::default().of(pass);
        assert!(odds.failure(begun("lists").told(true)) > 0.6, "expected");
        assert!(odds.failure(begun("lists")) < 0.1, "expected");
        for _ in 0..60 {
            odds.learn(begun("lists"), true);
            odds.learn(begun("lists").told(true), false);
        }
        assert!(odds.failure(begun("lists")) > 0.5, "learnt");
        assert!(odds.failure(begun("lists").told(true)) < 0.4, "learnt");
        assert!(odds.failure(begun("hollow")) < 0.2, "another pass");
        assert_eq!(begun("tokens").told(true).of("lists"), begun("lists"));
        assert_eq!(begun("tokens").told(true).of("tokens"), begun("tokens").told(true));
    }

    #[test]
    fn estimates_are_never_certain() {
        let mut odds = Odds::default();
        let turn = Turn::default().of("lists");
        for fails in [false, true] {
            (0..10_000).for_each(|_| odds.learn(turn, fails));
            let failure = odds.failure(turn);
            assert!(0.0 < failure && failure < 1.0, "{failure}");
        }
    }
}
