//! Estimates how many tests a reduction still needs, by what its tests have won so far.
//!
//! A text loses about the same part of itself with each test until hardly more than what is needed
//! is left; then most questions are refused, and how many there are depends on what is left alone.
//! Which pass or round it is says nothing more (`corpus/decisions.md`).

/// The number of tokens of which most are needed.
const FEW: f64 = 40.0;

/// Tests for each of them: rounds, pumps and sweep together.
const FOR_EACH: f64 = 2.5;
/// Tests for each token in the sweep, however far it is: it may succeed yet, and begin again.
const IN_SWEEP: f64 = 1.2;

/// The least that a test removes, as the logarithm of the part that stays: where none has won
/// anything so far, this much is expected.
const LEAST_WON: f64 = 0.01;

/// Estimates how many tests are still to come, by the tokens of the input, those that are left, and
/// the answers so far; `sweeps` if this is the final sweep.
pub(crate) fn tests_left((input, left): (u64, u64), answers: u64, sweeps: bool) -> u64 {
    let (input, left) = (input.max(1) as f64, left.max(1) as f64);
    let tests = match sweeps {
        true => left * IN_SWEEP,
        false if left <= FEW => left * FOR_EACH,
        false => {
            let won = (input / left).ln().max(LEAST_WON) / answers.max(1) as f64;
            (left / FEW).ln() / won + FEW * FOR_EACH
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
    fn it_follows_what_the_tests_have_won() {
        let tests_left = |left, answers, sweeps| tests_left((30_000, left), answers, sweeps);
        // A tenth of the text is left with each ten tests.
        assert_eq!(tests_left(3_000, 10, false), 119);
        assert_eq!(tests_left(300, 20, false), 109);
        // Twice as many tests were needed for the same.
        assert_eq!(tests_left(300, 40, false), 118);
        let rest = [(40, false), (20, false), (20, true)];
        let rest = rest.map(|(left, sweeps)| tests_left(left, 90, sweeps));
        assert_eq!(rest, [100, 50, 24]);
    }

    #[test]
    fn nothing_won_so_far_is_not_forever() {
        assert_eq!(tests_left((30_000, 30_000), 1, false), 762);
    }
}
