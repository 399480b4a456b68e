//! A limit of time that only counts while this process runs: whoever stops a run, or freezes its
//! container, stops its tests as well, and none of them has become slow by that.

use std::time::{Duration, Instant};

/// The longest wait: a pause is noticed only at its end.
const LONGEST: Duration = Duration::from_secs(1);

/// Nobody is woken that much too late by a busy machine.
const LATE: Duration = Duration::from_secs(1);

/// A moment until which something is waited for.
#[derive(Debug)]
pub(crate) struct TimeLimit {
    /// `None` if it is too far away to be told.
    end: Option<Instant>,
    /// When it was asked for the last time, and how long a wait it allowed then.
    asked: (Instant, Duration),
    /// The time during which we did not run.
    pub(crate) paused: Duration,
}

impl TimeLimit {
    /// Creates the end of a time that began at `start`.
    pub(crate) fn new(start: Instant, time: Duration) -> Self {
        let asked = (start, Duration::ZERO);
        Self { end: start.checked_add(time), asked, paused: Duration::ZERO }
    }

    /// Returns how long to wait before asking again; zero when the time is up.
    pub(crate) fn next_wait(&mut self) -> Duration {
        self.next_wait_at(Instant::now())
    }

    fn next_wait_at(&mut self, now: Instant) -> Duration {
        let (before, allowed) = self.asked;
        let late = now.saturating_duration_since(before).saturating_sub(allowed);
        if late > LATE {
            self.end = self.end.and_then(|end| end.checked_add(late));
            self.paused += late;
        }
        let left = self.end.map_or(LONGEST, |end| end.saturating_duration_since(now));
        self.asked = (now, left.min(LONGEST));
        self.asked.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_does_not_count() {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut limit = TimeLimit::new(start, Duration::from_secs(5));
        assert_eq!(limit.next_wait_at(at(10)), LONGEST);
        // Woken a little late, by load.
        assert_eq!(limit.next_wait_at(at(1_500)), LONGEST);
        // Woken after an hour, of which the second counts that was asked for.
        let hour = 3_600_000;
        assert_eq!(limit.next_wait_at(at(1_500 + hour)), LONGEST);
        assert_eq!(limit.paused, Duration::from_millis(hour - 1_000));
        assert_eq!(limit.next_wait_at(at(2_500 + hour)), LONGEST);
        assert_eq!(limit.next_wait_at(at(3_500 + hour)), Duration::from_millis(500));
        assert_eq!(limit.next_wait_at(at(4_000 + hour)), Duration::ZERO);
    }

    #[test]
    fn a_time_ends() {
        let start = Instant::now();
        let mut limit = TimeLimit::new(start, Duration::from_millis(300));
        assert_eq!(limit.next_wait_at(start), Duration::from_millis(300));
        assert_eq!(limit.next_wait_at(start + Duration::from_millis(300)), Duration::ZERO);
        let mut endless = TimeLimit::new(start, Duration::MAX);
        assert_eq!(endless.next_wait_at(start + Duration::from_secs(1)), LONGEST);
    }
}
