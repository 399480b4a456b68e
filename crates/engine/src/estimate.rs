//! How many tests a session will still need, as far as can be told: from where it is in the order of
//! passes, and from how much is left. Knows no time.
//!
//! To find k tokens that are needed among n takes about k·log₂(n/k) questions, and a few more for each
//! of the k to see that nothing else can be done with it (LITERATURE.md §3). How many more is measured
//! (`cargo xtask estimate`); k is unknown until the first round is over.

/// Where a session is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stage {
    /// Rounds before this one.
    pub rounds: u32,
    /// Which part of the passes of this round are done: 0 … 1.
    pub done: f64,
    /// It is the final sweep.
    pub sweep: bool,
    /// Something was won in this round, so that another one follows.
    pub won: bool,
}

/// How many tokens are expected to be needed as long as nothing is known.
const NEEDED: f64 = 18.0;

/// Tests for each token that is left: for the first round with all that comes after it,
const FIRST: f64 = 8.0;
/// for what comes after the first round,
const AFTER: f64 = 4.0;
/// for the final sweep.
const SWEEP: f64 = 2.0;

/// About how many tests are still to come with so many tokens left.
pub(crate) fn tests_left(stage: Stage, tokens: u64) -> u64 {
    let left = tokens as f64;
    let Stage { rounds, done, sweep, won } = stage;
    let part = |from: f64, to: f64| from + (to - from) * done;
    let tests = match rounds {
        _ if sweep => left * part(SWEEP, 0.0),
        0 => {
            // In the end all that is left is needed; at the beginning nobody knows.
            let needed = left.min(NEEDED * part(1.0, 4.0));
            needed * (left / needed.max(1.0)).log2() + needed * part(FIRST, AFTER)
        }
        _ => left * part(AFTER, if won { SWEEP + 1.0 } else { SWEEP }),
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
    }
}
