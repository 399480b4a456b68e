//! How far a reduction is: a fold over its events, for whatever shows it.

use std::collections::VecDeque;
use std::time::Duration;

use minirepro_program::{AnswerSource, Event, archive};

use super::numbers::counted;

/// The time over which the speed of tests is measured.
const WINDOW: Duration = Duration::from_secs(60);
/// The time between two moments that are kept to measure it.
const BETWEEN: Duration = Duration::from_secs(2);
/// As many tests tell how long one takes; the first ones also start what later ones find running.
const MEASURED: u64 = 8;
/// Half of the estimates of the tests that are left lie within this factor of the truth
/// (`corpus/decisions.md`).
const FACTOR: u32 = 2;
/// A run that would take longer than this many times what it has taken is not guessed about.
const EARLY: u32 = 10;

/// How far a reduction is.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Tokens before and now.
    pub tokens: (u64, u64),
    /// Bytes now.
    pub bytes: u64,
    /// Bytes of the input.
    pub bytes_before: u64,
    /// Tests that decided something.
    pub tests: u64,
    /// Those that were run now, not in an earlier part of the run.
    pub tests_now: u64,
    /// The pass whose turn it is; empty before the first.
    pub pass: &'static str,
    /// How many edits it proposes.
    pub edits: usize,
    /// How many of them an isolation still looks at.
    pub narrowed: Option<usize>,
    /// Whether the last answer was known from an earlier part of the run.
    pub is_recalled: bool,
    /// An estimate of how many tests are still to come.
    tests_left: Option<u64>,
    /// How many answers had been known before the last one.
    known: u64,
    /// The number of tests at some moments of the last time.
    moments: VecDeque<(Duration, u64)>,
}

/// How much is left of a reduction: a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// Tests.
    pub tests: u64,
    /// The time that they take, from the least to the most that is likely.
    pub time: (Duration, Duration),
}

impl Course {
    /// Begins with an input of this size.
    pub fn new(tokens: u64, bytes: u64) -> Self {
        let moments = VecDeque::from([(Duration::ZERO, 0)]);
        let tokens = (tokens, tokens);
        Self { tokens, bytes, bytes_before: bytes, moments, ..Self::default() }
    }

    /// Takes an event that happened at `now`, when some answers had been known.
    pub fn event(&mut self, event: &Event, now: Duration, reused: u64) {
        match event {
            Event::Pass { name, edits } => {
                (self.pass, self.edits) = (name, *edits);
                self.narrowed = self.narrowed.map(|_| *edits);
            }
            Event::Narrowed { left, .. } => self.narrowed = Some(*left),
            Event::Answered { how: AnswerSource::Tested, .. } => {
                self.tests += 1;
                self.is_recalled = reused > self.known;
                self.known = reused;
                if self.is_recalled {
                    // What is known already takes time as well, but not that of tests.
                    self.moments = VecDeque::from([(now, self.tests_now)]);
                } else {
                    self.tests_now += 1;
                    self.note(now);
                }
            }
            Event::Reduced { tokens, text, .. } => {
                (self.tokens.1, self.bytes) = (*tokens, archive::bytes_in(text));
            }
            Event::Expected { tests } => self.tests_left = Some(*tests),
            _ => {}
        }
    }

    fn note(&mut self, now: Duration) {
        let (last, _) = self.moments.back().copied().unwrap_or_default();
        if now.saturating_sub(last) < BETWEEN {
            return;
        }
        self.moments.push_back((now, self.tests_now));
        // One that is too old stays, to say where the window began.
        while self.moments.get(1).is_some_and(|(at, _)| now.saturating_sub(*at) >= WINDOW) {
            self.moments.pop_front();
        }
    }

    /// Returns how many tests are done in a second, lately.
    pub fn speed(&self, now: Duration) -> f64 {
        let (from, tests) = self.moments.front().copied().unwrap_or_default();
        let time = now.saturating_sub(from).as_secs_f64().max(1e-3);
        (self.tests_now - tests) as f64 / time
    }

    /// Returns how much is left at the speed of the last time, if anything can be said.
    pub fn left(&self, now: Duration) -> Option<Left> {
        let tests = self.tests_left.filter(|_| self.tests_now >= MEASURED)?;
        let seconds = (tests as f64 / self.speed(now).max(1e-6)).min(1e9);
        let time = Duration::from_secs_f64(seconds);
        // Early on, the number of tests is a guess that may be off by far.
        if time / FACTOR > now * EARLY {
            return None;
        }
        Some(Left { tests, time: (time / FACTOR, time * FACTOR) })
    }
}

impl Left {
    /// Says how long it may take, like `20 to 80 s`.
    pub fn time_in_words(&self) -> String {
        let [(least, unit), (most, last_unit)] = [self.time.0, self.time.1].map(rough);
        match unit == last_unit {
            _ if most <= 1 && last_unit == "s" => "1 s".to_owned(),
            true if least == most => format!("{most} {unit}"),
            true => format!("{least} to {most} {unit}"),
            false => format!("{least} {unit} to {most} {last_unit}"),
        }
    }

    /// Says how many tests it may take.
    pub fn tests_in_words(&self) -> String {
        format!("about {}", counted(self.tests, "test"))
    }
}

/// Returns a time to the precision of a guess, and its unit.
fn rough(time: Duration) -> (u64, &'static str) {
    let seconds = time.as_secs();
    let tens = |number: u64| if number < 20 { number } else { (number + 5) / 10 * 10 };
    match seconds {
        0..=99 => (tens(seconds).max(1), "s"),
        100..=5999 => (tens((seconds + 30) / 60), "min"),
        _ => (tens((seconds + 1800) / 3600), "h"),
    }
}

#[cfg(test)]
mod tests {
    use minirepro_program::Outcome;

    use super::*;

    fn answered() -> Event {
        Event::Answered {
            pass: "lists",
            outcome: Outcome::Pass,
            how: AnswerSource::Tested,
            candidate: None,
        }
    }

    #[test]
    fn what_is_left_is_a_range_at_the_speed_of_the_last_minute() {
        let mut course = Course::new(2000, 9000);
        let none = 0;
        course.event(&Event::Expected { tests: 120 }, Duration::ZERO, none);
        assert_eq!(course.left(Duration::ZERO), None, "nobody knows");
        // A slow minute, and a fast one after it.
        for second in 1..=60 {
            course.event(&answered(), Duration::from_secs(second), none);
        }
        let left = course.left(Duration::from_secs(60)).unwrap();
        assert_eq!(
            (left.tests_in_words(), left.time_in_words()),
            ("about 120 tests".into(), "60 s to 4 min".into())
        );
        for tenth in 600..=1260 {
            course.event(&answered(), Duration::from_millis(tenth * 100), none);
        }
        assert!((course.speed(Duration::from_secs(126)) - 10.0).abs() < 0.5);
        let left = course.left(Duration::from_secs(126)).unwrap();
        assert_eq!(left.time_in_words(), "6 to 20 s");
    }

    #[test]
    fn guesses_are_told_no_more_precisely_than_they_are() {
        let words = |least, most| {
            let seconds = Duration::from_secs;
            Left { tests: 1, time: (seconds(least), seconds(most)) }.time_in_words()
        };
        for (least, most, shown) in [
            (0, 0, "1 s"),
            (0, 3, "1 to 3 s"),
            (21, 84, "20 to 80 s"),
            (50, 200, "50 s to 3 min"),
            (60 * 27, 60 * 108, "30 min to 2 h"),
            (3600 * 12, 3600 * 48, "12 to 50 h"),
        ] {
            assert_eq!(words(least, most), shown);
        }
    }

    #[test]
    fn answers_of_an_earlier_part_of_the_run_do_not_count_as_speed() {
        let mut course = Course::new(10, 10);
        for reused in [1, 2, 2] {
            course.event(&answered(), Duration::from_secs(1), reused);
        }
        assert_eq!((course.tests, course.tests_now), (3, 1));
    }

    #[test]
    fn the_time_that_known_answers_took_is_not_that_of_tests() {
        let mut course = Course::new(10, 10);
        course.event(&Event::Expected { tests: 60 }, Duration::ZERO, 0);
        for reused in 1..=500 {
            course.event(&answered(), Duration::from_secs(reused), reused);
        }
        let reused = 500;
        for second in 1..=10 {
            assert!(second > MEASURED || course.left(Duration::from_secs(500 + second)).is_none());
            course.event(&answered(), Duration::from_secs(500 + second), reused);
        }
        let left = course.left(Duration::from_secs(510)).unwrap();
        assert_eq!(left.time_in_words(), "30 s to 2 min");
    }
}
