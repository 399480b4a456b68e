//! Estimates how probable it is that a candidate fails, by the last answers to its pass.
//!
//! How far ahead it pays to look depends on it alone. Must not decide anything: estimates only say
//! which tests are run ahead.

use std::collections::HashMap;

/// The pass that asked last, and whether its candidate failed.
pub(crate) type Last = Option<(&'static str, bool)>;

/// How often candidates failed: by the pass that asks, and by the answer to the question before if
/// that was its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odds(HashMap<(&'static str, Option<bool>), f64>);

/// The probability that a candidate fails of which nothing is known.
const PRIOR: f64 = 0.33;

/// How much of an error each answer takes away.
const RATE: f64 = 0.1;

impl Odds {
    /// Returns the probability that the next candidate of a pass fails.
    pub(crate) fn failure(&self, last: Last, pass: &'static str) -> f64 {
        self.0.get(&turn(last, pass)).copied().unwrap_or(PRIOR)
    }

    /// Takes the answer to a candidate.
    pub(crate) fn learn(&mut self, last: Last, pass: &'static str, fails: bool) {
        let rate = self.0.entry(turn(last, pass)).or_insert(PRIOR);
        *rate += (f64::from(u8::from(fails)) - *rate) * RATE;
    }
}

fn turn(last: Last, pass: &'static str) -> (&'static str, Option<bool>) {
    (pass, last.filter(|(other, _)| *other == pass).map(|(_, failed)| failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_go_by_the_pass_and_its_last_answer() {
        let mut odds = Odds::default();
        for _ in 0..20 {
            odds.learn(None, "lists", true);
            odds.learn(Some(("lists", true)), "lists", false);
        }
        assert!(odds.failure(None, "lists") > 0.8);
        assert!(odds.failure(Some(("lists", true)), "lists") < 0.1);
        assert!(odds.failure(Some(("tokens", true)), "lists") > 0.8, "another pass");
        assert!((odds.failure(None, "tokens") - PRIOR).abs() < 1e-9);
    }
}
