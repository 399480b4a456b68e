//! Progress of a session while it runs. Time comes with the events.

use std::time::Duration;

use minirepro_program::{AnswerSource, Event};

use super::course::Course;
use super::numbers::{count, counted, percent, rate};
use super::status_line::StatusLine;

/// Without a terminal, a line comes this often at first if a test has ended meanwhile,
const OFTEN: Duration = Duration::from_secs(1);
/// then whenever the run has become longer by this part,
const PART: u32 = 5;
/// and at least this often, so that nothing that watches a run takes it for dead,
const AT_LEAST: Duration = Duration::from_secs(60);
/// this often if none has,
const SELDOM: Duration = Duration::from_secs(10);
/// and this often in an isolation.
const BETWEEN: Duration = Duration::from_secs(2);
/// The width that a line may have besides the time in front of it, so that it fits into 80 columns.
const WIDTH: usize = 68;

/// Says where a reduction is. What matters less is left out where it would not fit.
fn line(course: &Course, now: Duration) -> String {
    let of = |now, unit, before| format!("{} ({})", counted(now, unit), percent(now, before));
    // Of a text without tokens, such as one of zeros, bytes go.
    let (size, bytes) = match course.tokens.0 {
        0 => (of(course.bytes, "byte", course.bytes_before), String::new()),
        before => {
            let bytes = format!(", {}", counted(course.bytes, "byte"));
            (of(course.tokens.1, "token", before), bytes)
        }
    };
    let tests = format!(", {}", counted(course.tests, "test"));
    let left = course.left(now).map(|left| format!(", {} left", left.time_in_words()));
    let pass = if course.pass.is_empty() { String::new() } else { format!(", {}", course.pass) };
    // From the least to the most important; they are shown in the order in which they stand.
    let mut parts = [size, bytes, tests, left.unwrap_or_default(), pass];
    for least in [4, 1, 2] {
        if parts.iter().map(|part| part.chars().count()).sum::<usize>() > WIDTH {
            parts[least].clear();
        }
    }
    parts.concat()
}

/// Shows a reduction.
#[derive(Debug)]
pub struct ReductionProgress {
    course: Course,
    line: StatusLine,
    /// How many tests the last line told of.
    shown_tests: u64,
}

impl ReductionProgress {
    /// Begins with an input of this size.
    pub fn new(line: StatusLine, tokens: u64, bytes: u64) -> Self {
        Self { course: Course::new(tokens, bytes), line, shown_tests: 0 }
    }

    /// Takes an event that happened at `now`, when some answers had been known.
    pub fn event(&mut self, event: &Event, now: Duration, reused: u64) {
        self.course.event(event, now, reused);
        if self.course.is_recalled {
            return;
        }
        if let Event::Reduced { .. } = event {
            self.line.show_step(&line(&self.course, now), now);
        }
        let has_news = self.line.is_live() || self.shown_tests != self.course.tests;
        let apart = (now / PART).clamp(if has_news { OFTEN } else { SELDOM }, AT_LEAST);
        if self.line.is_due(now, apart) {
            self.line.show(&line(&self.course, now), now);
            self.shown_tests = self.course.tests;
        }
    }
}

/// Shows an isolation.
#[derive(Debug)]
pub struct IsolationProgress {
    line: StatusLine,
    tests: u64,
    level: &'static str,
    of: usize,
    left: usize,
}

impl IsolationProgress {
    /// Begins before the first event.
    pub fn new(line: StatusLine) -> Self {
        Self { line, tests: 0, level: "", of: 0, left: 0 }
    }

    /// Takes an event that happened at `now`.
    pub fn event(&mut self, event: &Event, now: Duration) {
        match event {
            Event::Pass { name, edits } => {
                self.level = name;
                self.of = *edits;
                self.left = *edits;
            }
            Event::Answered { how: AnswerSource::Tested, .. } => self.tests += 1,
            Event::Narrowed { left, .. } => {
                self.left = *left;
                self.line.show_step(&self.text(now), now);
            }
            _ => return,
        }
        if self.line.is_due(now, BETWEEN) {
            let text = self.text(now);
            self.line.show(&text, now);
        }
    }

    fn text(&self, now: Duration) -> String {
        let left = count(self.left as u64);
        let of = count(self.of as u64);
        let tests = counted(self.tests, "test");
        format!("{}: {left} of {of} | {tests}, {}", self.level, rate(self.tests, now))
    }
}

#[cfg(test)]
mod tests {
    use minirepro_program::Outcome;

    use super::*;

    #[test]
    fn a_line_fits_into_80_columns_and_keeps_what_matters() {
        let none = 0;
        let at = Duration::from_secs;
        for (tokens, tests, expected, shown) in [
            (2000, 8, 96, "1,000 tokens (50 %), 4,500 bytes, 8 tests, 60 s to 4 min left, lists"),
            (
                123_456_789,
                100_000,
                1_000_000,
                "123,456,000 tokens (100 %), 100,000 tests, 50 s to 3 min left",
            ),
        ] {
            let mut course = Course::new(tokens, 9000);
            course.event(&Event::Pass { name: "lists", edits: 7 }, at(1), none);
            let text = vec![b'x'; 4500].into();
            let tokens = if tokens == 2000 { 1000 } else { tokens / 1000 * 1000 };
            course.event(&Event::Reduced { tokens, text, tests: 1 }, at(1), none);
            let (pass, outcome, how) = ("lists", Outcome::Pass, AnswerSource::Tested);
            for _ in 0..tests {
                course.event(
                    &Event::Answered { pass, outcome, how, candidate: None },
                    at(10),
                    none,
                );
            }
            course.event(&Event::Expected { tests: expected }, at(10), none);
            let line = line(&course, at(10));
            assert_eq!(line, shown);
            assert!(line.chars().count() <= WIDTH);
        }
    }
}
