//! Estimates how probable it is that a candidate fails, by what is known about it before its test.
//!
//! How far ahead it pays to look depends on it alone. Must not decide anything: estimates only say
//! which tests are run ahead.

use std::collections::HashMap;

use crate::schedule::decider::{Period, Traits};
use crate::schedule::elsewhere::Elsewhere;

/// The pass that asks, and its last answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Turn {
    pass: &'static str,
    last: Last,
}

/// The last answers to a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Last {
    #[default]
    None,
    /// The number of candidates in a row that have failed.
    Failed(u8),
    /// The number in a row that have not.
    Refused(u8),
}

impl Turn {
    /// Returns this turn if it is that of `pass`, or else a new one.
    pub(crate) fn of(self, pass: &'static str) -> Self {
        if self.pass == pass { self } else { Self { pass, last: Last::None } }
    }

    /// Returns the same turn after another answer.
    pub(crate) fn told(self, fails: bool) -> Self {
        let last = match (self.last, fails) {
            (Last::Failed(times), true) => Last::Failed(times.saturating_add(1)),
            (Last::Refused(times), false) => Last::Refused(times.saturating_add(1)),
            (_, true) => Last::Failed(1),
            (_, false) => Last::Refused(1),
        };
        Self { last, ..self }
    }
}

/// Something that makes it more or less probable that a candidate fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sign {
    Pass(&'static str),
    /// None, then 1, 2, 3 and more that failed, then 1, 2–3, 4–7, 8 and more that did not.
    Last(usize),
    Period(Period),
    /// The part of the tokens that goes: more than a half, a quarter, … a 64th, less.
    Removed(usize),
    /// One edit, 2–3, 4–7, 8 and more, all of several.
    Edits(usize),
    Elsewhere(Elsewhere),
}

fn signs(turn: Turn, traits: Traits, elsewhere: Elsewhere) -> [Sign; 6] {
    let last = match turn.last {
        Last::None => 0,
        Last::Failed(times) => usize::from(times.min(3)),
        Last::Refused(times) => 4 + usize::from(times.min(8)).ilog2() as usize,
    };
    let Traits { period, edits, of, before, after } = traits;
    let removed = before.saturating_sub(after);
    let removed = before.checked_div(removed).map_or(6, |part| part.max(1).ilog2().min(6) as usize);
    let edits = if edits > 1 && edits == of { 4 } else { edits.clamp(1, 8).ilog2() as usize };
    [
        Sign::Pass(turn.pass),
        Sign::Last(last),
        Sign::Period(period),
        Sign::Removed(removed),
        Sign::Edits(edits),
        Sign::Elsewhere(elsewhere),
    ]
}

/// The log odds of failure before any sign is known.
const PRIOR: f64 = -0.7;

/// How much of an error each of its signs takes.
const RATE: f64 = 0.06;

/// The answers of a run so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odds {
    /// The term that each sign adds to the log odds.
    weights: HashMap<Sign, f64>,
}

impl Odds {
    /// Returns the probability that a candidate fails: 0 … 1, both excluded.
    pub(crate) fn failure(&self, turn: Turn, traits: Traits, elsewhere: Elsewhere) -> f64 {
        let signs = signs(turn, traits, elsewhere);
        let weights = signs.iter().filter_map(|sign| self.weights.get(sign));
        let log_odds = PRIOR + weights.sum::<f64>();
        1.0 / (1.0 + (-log_odds.clamp(-MOST, MOST)).exp())
    }

    /// Takes the answer to a question of this turn.
    pub(crate) fn learn(&mut self, turn: Turn, traits: Traits, elsewhere: Elsewhere, fails: bool) {
        let probability = self.failure(turn, traits, elsewhere);
        let error = f64::from(u8::from(fails)) - probability;
        for sign in signs(turn, traits, elsewhere) {
            *self.weights.entry(sign).or_default() += RATE * error;
        }
    }
}

/// No estimate is more certain than this, as the logarithm of its odds.
const MOST: f64 = 7.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_go_by_the_pass_its_last_answers_and_the_edits() {
        let mut odds = Odds::default();
        let begun = |pass| Turn::default().of(pass);
        let few = Traits { before: 100, after: 90, edits: 1, of: 9, ..Traits::default() };
        let many = Traits { after: 10, ..few };
        let (lists, unknown) = (begun("lists"), Elsewhere::Unknown);
        let before = odds.failure(lists, few, unknown);
        for _ in 0..60 {
            odds.learn(lists, few, unknown, true);
            odds.learn(lists.told(false), many, unknown, false);
        }
        assert!(odds.failure(lists, few, unknown) > before.max(0.7), "learnt");
        assert!(odds.failure(lists, few, unknown) > odds.failure(lists, many, unknown));
        assert!(odds.failure(lists.told(false), few, unknown) < odds.failure(lists, few, unknown));
        assert_eq!(begun("tokens").told(true).of("lists"), lists);
        assert_eq!(begun("tokens").told(true).of("tokens"), begun("tokens").told(true));
    }

    #[test]
    fn estimates_are_never_certain() {
        let mut odds = Odds::default();
        let turn = Turn::default().of("lists");
        for fails in [false, true] {
            for _ in 0..10_000 {
                odds.learn(turn, Traits::default(), Elsewhere::Unknown, fails);
            }
            let failure = odds.failure(turn, Traits::default(), Elsewhere::Unknown);
            assert!(0.0 < failure && failure < 1.0, "{failure}");
        }
    }
}
