//! The candidate that a run falls back to when its result turns out not to reproduce: a flaky test
//! may have accepted too much, at worst the empty text.

use std::sync::Arc;

use minirepro_engine::Outcome;

use crate::run::context::RunContext;

/// A candidate counts as reliable if it reproduces this many times in a row.
const CONFIRMATIONS: usize = 5;
/// The accepted candidates that stay in memory are together at most as long as this many of the
/// largest one, or as a few small ones.
const LARGEST: usize = 2;
/// What counts as a few small ones, in bytes.
const SMALL: usize = 4 << 20;

/// The candidates that were accepted on the way to a result, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    accepted: Vec<Arc<[u8]>>,
    bytes: usize,
    /// The length of the largest one.
    longest: usize,
}

impl Steps {
    /// Adds the candidate that was accepted last. Where they get too large together, every second
    /// one is forgotten.
    pub fn push(&mut self, text: &Arc<[u8]>) {
        self.accepted.push(Arc::clone(text));
        self.bytes += text.len();
        self.longest = self.longest.max(text.len());
        while self.bytes > (LARGEST * self.longest).max(SMALL) && self.accepted.len() > 2 {
            let mut nth = 0;
            self.accepted.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.bytes = self.accepted.iter().map(|text| text.len()).sum();
        }
    }

    /// Returns the last candidate that reproduces reliably. Walks back with steps that get longer,
    /// then halves the distance to the last one that did not: about 2 log n candidates of n.
    pub fn last_reliable(&self, context: &RunContext<'_>) -> Option<Arc<[u8]>> {
        self.last_where(|text| {
            (0..CONFIRMATIONS).all(|_| context.confirm(text) == Some(Outcome::Fail))
        })
    }

    fn last_where(&self, is_reliable: impl Fn(&[u8]) -> bool) -> Option<Arc<[u8]>> {
        let mut unreliable = self.accepted.len();
        let mut step = 1;
        let mut reliable = loop {
            let at = unreliable.checked_sub(step.min(unreliable).max(1))?;
            if is_reliable(&self.accepted[at]) {
                break at;
            }
            unreliable = at;
            step *= 2;
        };
        while reliable + 1 < unreliable {
            let middle = reliable.midpoint(unreliable);
            match is_reliable(&self.accepted[middle]) {
                true => reliable = middle,
                false => unreliable = middle,
            }
        }
        Some(Arc::clone(&self.accepted[reliable]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_reliable_candidate_is_found_wherever_it_is() {
        for all in 0..40_u8 {
            let mut steps = Steps::default();
            for nth in 0..all {
                steps.push(&Arc::from([nth]));
            }
            for reliable in 0..=all {
                let found = steps.last_where(|text| text[0] < reliable);
                let expected = reliable.checked_sub(1).map(|last| vec![last]);
                assert_eq!(found.map(|text| text.to_vec()), expected, "{reliable} of {all}");
            }
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut steps = Steps::default();
        let large: Arc<[u8]> = vec![0; SMALL].into();
        for _ in 0..100 {
            steps.push(&large);
        }
        assert!((SMALL..=LARGEST * SMALL).contains(&steps.bytes), "{}", steps.bytes);
    }
}
