//! Estimates how many tests a reduction still needs, by where it is in the order of passes and by
//! how much is left.
//!
//! Finding k needed tokens among n takes about k·log₂(n/k) questions (the entropy bound), and a few
//! more for each of the k to see that nothing else can be done with it. How many more is measured
//! (`cargo xtask estimate`); k is unknown until the first round is over.

/// How far a reduction is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stage {
    /// The number of rounds before this one.
    pub rounds: u32,
    /// The part of this round's passes that are done: 0 … 1.
    pub done: f64,
    /// Whether this is the final sweep.
    pub sweep: bool,
    /// Whether this round has won something, so that another one follows.
    pub won: bool,
}

/// The number of tokens that are expected to be needed as long as nothing is known.
const NEEDED: f64 = 18.0;

/// Tests for each token that is left, at the beginning of the first round.
const FIRST: f64 = 8.0;
/// Tests for each token that is left, after the first round.
const AFTER: f64 = 4.0;
/// Tests for each token that is left, at the beginning of the sweep.
const SWEEP: f64 = 2.0;

/// Estimates how many tests are still to come when `tokens` are left.
pub(crate) fn tests_left(stage: Stage, tokens: u64) -> u64 {
    let left = tokens as f64;
    let Stage { rounds, done, sweep, won } = stage;
    let part = |from: f64, to: f64| from + (to - from) * done;
    let tests = match rounds {
        _ if sweep => left * part(SWEEP, 0.0),
        0 => {
            // In the end everything that is left is needed; at the beginning nobody knows.
            let needed = left.min(NEEDED * part(1.0, 4.0));
            needed * (left / needed.max(1.0)).log2() + needed * part(FIRST, AFTER)
        }
        // A round may end while most of what is left can still go.
        _ => {
            let needed = left.min(NEEDED * 4.0);
            needed * (left / needed.max(1.0)).log2()
                + needed * part(AFTER, if won { SWEEP + 1.0 } else { SWEEP })
        }
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rough figure")]
    let tests = tests.round() as u64;
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_falls_with_what_is_left_and_with_what_is_done() {
        let stage = |rounds, done, sweep| Stage { rounds, done, sweep, won: false };
        let course = [
            (stage(0, 0.0, false), 30_000),
            (stage(0, 0.1, false), 200),
            (stage(0, 0.5, false), 40),
            (stage(1, 0.0, false), 30),
            (stage(1, 0.9, false), 30),
            (stage(2, 0.0, true), 30),
            (stage(2, 0.9, true), 30),
        ];
        let tests: Vec<u64> = course.iter().map(|&(s, tokens)| tests_left(s, tokens)).collect();
        assert!(tests.is_sorted_by(|a, b| a > b), "{tests:?}");
        assert!(tests[0] < 1000 && tests[6] < 10, "{tests:?}");
        assert_eq!(tests_left(stage(3, 1.0, true), 30), 0);
        // After a short first round, most is not needed.
        assert!(tests_left(stage(1, 0.0, false), 20_000) < 1000);
    }
}
