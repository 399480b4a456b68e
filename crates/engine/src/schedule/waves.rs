//! What a wider search would have waited for, as far as this one shows.

use std::time::Duration;

/// The time for edits that were tried by themselves, one after the other, beside the time that waves of them
/// would have taken.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waves {
    pass: &'static str,
    list: List,
    /// The decider's time for all lists before.
    waited: Duration,
    /// The tests in a row that waves would have needed for them.
    steps: u64,
    /// All tests.
    tests: u32,
    /// Their time.
    tested: Duration,
}

/// Questions of one pass in a row.
#[derive(Clone, Copy, Debug, Default)]
struct List {
    asked: u64,
    failed: u64,
    waited: Duration,
}

impl Waves {
    /// Notes how long a test took.
    pub(crate) fn tested(&mut self, time: Duration) {
        self.tests = self.tests.saturating_add(1);
        self.tested += time;
    }

    /// Notes the answer to a question of a pass, and how long the decider waited for it.
    pub(crate) fn told(&mut self, pass: &'static str, fails: bool, waited: Duration, jobs: usize) {
        if pass != self.pass {
            self.end(jobs);
            self.pass = pass;
        }
        self.list.asked += 1;
        self.list.failed += u64::from(fails);
        self.list.waited += waited;
    }

    /// Notes that something else is asked.
    pub(crate) fn end(&mut self, jobs: usize) {
        let List { asked, failed, waited } = std::mem::take(&mut self.list);
        self.pass = "";
        self.waited += waited;
        // What works by itself is tried together.
        self.steps += asked.div_ceil(jobs.max(1) as u64) + u64::from(failed > 1);
    }

    /// Returns the time that waves would have saved on so many jobs.
    pub(crate) fn saved(&self) -> Duration {
        let mean = self.tested / self.tests.max(1);
        let steps = u32::try_from(self.steps).unwrap_or(u32::MAX);
        self.waited.saturating_sub(mean.saturating_mul(steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Duration = Duration::from_secs(1);

    #[test]
    fn waves_would_have_saved_the_time_for_successes_in_a_row() {
        let mut waves = Waves::default();
        for fails in [true, true, false, true, false, true] {
            waves.tested(TEST);
            waves.told("lists", fails, TEST, 4);
        }
        waves.end(4);
        // Four and two at a time, and all that worked together.
        assert_eq!(waves.saved(), 3 * TEST);
        for _ in 0..8 {
            waves.tested(TEST);
            // Looking ahead was as good as a wave.
            waves.told("sweep", false, TEST / 4, 4);
        }
        waves.end(4);
        assert_eq!(waves.saved(), 3 * TEST);
    }
}
