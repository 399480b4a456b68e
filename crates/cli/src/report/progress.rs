//! One line that says where a run is: on a terminal it changes in its place, else lines come now
//! and then. Time comes with the events.

use std::time::Duration;

use minirepro_program::Event;

use super::course::Course;
use super::numbers::{count, counted, percent, rate, time};
use super::terminal::{self, say};
use super::verbosity::Verbosity;

/// The shortest time between two changes of a line that changes.
const LIVE: Duration = Duration::from_millis(80);
/// Without a terminal, a line comes this often at first if a test has ended meanwhile,
const OFTEN: Duration = Duration::from_secs(1);
/// then whenever the run has become longer by this part,
const PART: u32 = 5;
/// and at least this often, so that nothing that watches a run takes it for dead,
const AT_LEAST: Duration = Duration::from_secs(60);
/// this often if none has.
const SELDOM: Duration = Duration::from_secs(10);
/// The width that a line may have besides the time in front of it, so that it fits into 80 columns.
const WIDTH: usize = 68;

/// Shows a reduction or an isolation, until it is dropped.
#[derive(Debug)]
pub struct Progress {
    verbosity: Verbosity,
    is_live: bool,
    course: Course,
    /// When the last line came, and how many tests it told of.
    shown: (Duration, u64),
}

impl Progress {
    /// Begins to show a course, in a line that changes if it `may_be_live`.
    pub fn new(verbosity: Verbosity, may_be_live: bool, course: Course) -> Self {
        let is_live = may_be_live && verbosity > Verbosity::Quiet && terminal::is_live();
        Self { verbosity, is_live, course, shown: (Duration::ZERO, 0) }
    }

    /// Begins with something that may take long and has no steps.
    pub fn waiting(verbosity: Verbosity, may_be_live: bool, what: &str) -> Self {
        let progress = Self::new(verbosity, may_be_live, Course::new(0, 0));
        if progress.is_live {
            terminal::live_line(what);
        }
        progress
    }

    /// Takes an event that happened at `now`, when some answers had been known.
    pub fn event(&mut self, event: &Event, now: Duration, reused: u64) {
        self.course.event(event, now, reused);
        if self.course.is_recalled || self.verbosity == Verbosity::Quiet {
            return;
        }
        let is_step = matches!(event, Event::Reduced { .. } | Event::Narrowed { .. });
        if is_step && self.verbosity == Verbosity::Verbose {
            self.clear();
            say!("{} {}", time(now), text(&self.course, now));
        }
        let has_news = self.shown.1 != self.course.tests;
        let apart = match self.is_live {
            true => LIVE,
            false => (now / PART).clamp(if has_news { OFTEN } else { SELDOM }, AT_LEAST),
        };
        let is_wanted = self.is_live || self.verbosity == Verbosity::Normal;
        if !is_wanted || now.saturating_sub(self.shown.0) < apart {
            return;
        }
        let line = format!("{} {}", time(now), text(&self.course, now));
        if self.is_live {
            terminal::live_line(&line);
        } else {
            say!("{line}");
        }
        self.shown = (now, self.course.tests);
    }

    /// Makes room for other lines.
    pub fn clear(&self) {
        if self.is_live {
            terminal::live_line("");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Says where a run is. What matters less is left out where it would not fit.
fn text(course: &Course, now: Duration) -> String {
    if let Some(left) = course.narrowed {
        let (left, of) = (count(left as u64), count(course.edits as u64));
        let tests = counted(course.tests, "test");
        return format!("{}: {left} of {of} | {tests}, {}", course.pass, rate(course.tests, now));
    }
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

#[cfg(test)]
mod tests {
    use minirepro_program::{AnswerSource, Outcome};

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
            let small = vec![b'x'; 4500].into();
            let tokens = if tokens == 2000 { 1000 } else { tokens / 1000 * 1000 };
            course.event(&Event::Reduced { tokens, text: small, tests: 1 }, at(1), none);
            let (pass, outcome, how) = ("lists", Outcome::Pass, AnswerSource::Tested);
            for _ in 0..tests {
                course.event(&Event::Answered { pass, outcome, how }, at(10), none);
            }
            course.event(&Event::Expected { tests: expected }, at(10), none);
            let line = text(&course, at(10));
            assert_eq!(line, shown);
            assert!(line.chars().count() <= WIDTH);
        }
    }
}
