//! Progress of a session while it runs. Time comes with the events.

use std::time::Duration;

use minirepro::{AnswerSource, Event, ReusedAnswers};

use super::numbers::{count, counted, percent, rate, time};
use super::status_line::StatusLine;
use super::verbosity::Verbosity;

/// Without a terminal, a line comes at least this often, if anything happens,
const SELDOM: Duration = Duration::from_secs(5);
/// at most this often when another pass begins,
const OFTEN: Duration = Duration::from_secs(1);
/// and this often in an isolation.
const BETWEEN: Duration = Duration::from_secs(2);
/// The time over which the speed of a reduction is measured.
const WINDOW: Duration = Duration::from_secs(10);

/// Where a reduction is.
#[derive(Debug)]
struct State {
    tokens: (u64, u64),
    bytes: u64,
    tests: u64,
    /// Those that were run now, not in an earlier part of the run.
    tests_now: u64,
    /// An estimate of how many are still to come.
    tests_left: Option<u64>,
    pass: &'static str,
    /// The tokens at some times of the last few seconds.
    recent: Vec<(Duration, u64)>,
}

impl State {
    fn line(&self, now: Duration) -> String {
        format!(
            "{} ({}), {} bytes | {}, {} | {}{}",
            counted(self.tokens.1, "token"),
            percent(self.tokens.1, self.tokens.0),
            count(self.bytes),
            counted(self.tests, "test"),
            rate(self.tests_now, now),
            self.pass,
            self.speed(now),
        )
    }

    /// Says how long it may still take, at the rate so far.
    fn left(&self, now: Duration) -> String {
        let Some(tests) = self.tests_left.filter(|_| self.tests_now > 0) else {
            return String::new();
        };
        let seconds = now.as_secs_f64() / self.tests_now as f64 * tests as f64;
        // It is a guess: no more than its size is worth showing.
        let time = time(Duration::from_secs(seconds.min(1e9) as u64 + 1));
        format!(" | about {} left ({time})", counted(tests, "test"))
    }

    fn speed(&self, now: Duration) -> String {
        let from = self.recent.first().filter(|(_, tokens)| *tokens > self.tokens.1);
        from.map_or(String::new(), |&(_, tokens)| {
            let window = now.min(WINDOW);
            format!(" | −{}", rate(tokens - self.tokens.1, window).replace('/', " tokens/"))
        })
    }

    /// Forgets what is older than the window, except for one entry that says where it began.
    fn forget(&mut self, now: Duration) {
        let begin = now.saturating_sub(WINDOW);
        let old = self.recent.partition_point(|&(at, _)| at <= begin);
        self.recent.drain(..old.saturating_sub(1));
    }
}

/// Shows a reduction.
#[derive(Debug)]
pub struct ReductionProgress {
    state: State,
    line: StatusLine,
    shown_pass: &'static str,
    /// How many answers had been known before the last one.
    known: u64,
    /// Whether the last answer was known from an earlier part of the run.
    is_recalled: bool,
}

impl ReductionProgress {
    /// Begins with an input of this size.
    pub fn new(verbosity: Verbosity, tokens: u64, bytes: u64) -> Self {
        let state = State {
            tokens: (tokens, tokens),
            bytes,
            tests: 0,
            tests_now: 0,
            tests_left: None,
            pass: "start",
            recent: vec![(Duration::ZERO, tokens)],
        };
        let line = StatusLine::new(verbosity);
        Self { state, line, shown_pass: "", known: 0, is_recalled: false }
    }

    /// Takes an event that happened at `now`, when some answers had been known.
    pub fn event(&mut self, event: &Event, now: Duration, reused: ReusedAnswers) {
        match event {
            Event::Pass { name, .. } => self.state.pass = name,
            Event::Answered { how: AnswerSource::Tested, .. } => {
                self.state.tests += 1;
                let known = reused.journal + reused.cache;
                self.is_recalled = known > self.known;
                self.known = known;
                if !self.is_recalled {
                    self.state.tests_now += 1;
                }
            }
            Event::Reduced { tokens, text, .. } => {
                (self.state.tokens.1, self.state.bytes) = (*tokens, text.len() as u64);
                self.state.forget(now);
                self.state.recent.push((now, *tokens));
                if !self.is_recalled {
                    self.line.show_step(&self.state.line(now), now);
                }
            }
            Event::Expected { tests } => self.state.tests_left = Some(*tests),
            Event::Narrowed { .. } => {}
            Event::Answered { .. }
            | Event::ByRule(_)
            | Event::Adopted { .. }
            | Event::RolledBack
            | Event::Done => return,
        }
        if !self.is_recalled {
            self.show(now);
        }
    }

    fn show(&mut self, now: Duration) {
        let is_another_pass = self.shown_pass != self.state.pass;
        if !self.line.is_due(now, if is_another_pass { OFTEN } else { SELDOM }) {
            return;
        }
        self.state.forget(now);
        let mut line = self.state.line(now);
        if self.line.is_live() {
            line += &self.state.left(now);
        }
        self.line.show(&line, now);
        self.shown_pass = self.state.pass;
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
    pub fn new(verbosity: Verbosity) -> Self {
        Self { line: StatusLine::new(verbosity), tests: 0, level: "", of: 0, left: 0 }
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
    use minirepro::Outcome;

    use super::*;

    #[test]
    fn the_line_says_where_we_are() {
        let mut progress = ReductionProgress::new(Verbosity::Quiet, 2000, 9000);
        let at = Duration::from_secs;
        let none = ReusedAnswers::default();
        progress.event(&Event::Pass { name: "lists", edits: 7 }, at(1), none);
        let text = vec![b'x'; 4500].into();
        progress.event(&Event::Reduced { tokens: 1000, text, tests: 1 }, at(5), none);
        assert_eq!(
            progress.state.line(at(10)),
            "1,000 tokens (50 %), 4,500 bytes | 0 tests, 0.0/s | lists | −100 tokens/s"
        );
        assert_eq!(progress.state.left(at(10)), "", "nobody knows");
        let pass = "lists";
        let outcome = Outcome::Pass;
        let how = AnswerSource::Tested;
        progress.event(&Event::Answered { pass, outcome, how, candidate: None }, at(10), none);
        progress.event(&Event::Expected { tests: 11 }, at(10), none);
        assert_eq!(progress.state.left(at(10)), " | about 11 tests left (1 min 51 s)");
        progress.state.forget(at(60));
        assert_eq!(progress.state.speed(at(60)), "", "nothing in the last seconds");
    }

    #[test]
    fn answers_of_an_earlier_part_of_the_run_do_not_count_as_speed() {
        let mut progress = ReductionProgress::new(Verbosity::Quiet, 10, 10);
        let answered = Event::Answered {
            pass: "lists",
            outcome: Outcome::Pass,
            how: AnswerSource::Tested,
            candidate: None,
        };
        for journal in [1, 2, 2] {
            let reused = ReusedAnswers { journal, cache: 0 };
            progress.event(&answered, Duration::from_secs(1), reused);
        }
        assert_eq!((progress.state.tests, progress.state.tests_now), (3, 1));
    }
}
