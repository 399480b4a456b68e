//! Events → what a user sees while waiting: a live line on a terminal, else plain lines now and
//! then. Time comes with the events.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use minirepro_engine::{Answered, Event};

use crate::figures::{count, counted, percent, rate, time};
use crate::plan::Talk;

/// The live line changes at most so often.
const LIVE: Duration = Duration::from_millis(80);
/// A plain line comes at least so often, if anything happens,
const SELDOM: Duration = Duration::from_secs(5);
/// and at most so often.
const OFTEN: Duration = Duration::from_secs(1);
/// Over which time the speed of the reduction is measured.
const WINDOW: Duration = Duration::from_secs(10);

/// Where the session is.
#[derive(Debug)]
struct State {
    tokens: (u64, u64),
    bytes: u64,
    tests: u64,
    /// Those of this process.
    tests_now: u64,
    /// About how many are still to come.
    tests_left: Option<u64>,
    pass: &'static str,
    /// When there were how many tokens: the last few seconds.
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

    /// How long it may still take, at the rate so far.
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

    /// Forgets what is older than the window, but for one that says where it began.
    fn forget(&mut self, now: Duration) {
        let begin = now.saturating_sub(WINDOW);
        let old = self.recent.partition_point(|&(at, _)| at <= begin);
        self.recent.drain(..old.saturating_sub(1));
    }
}

/// Shows a session.
#[derive(Debug)]
pub struct Progress {
    state: State,
    live: Option<ProgressBar>,
    talk: Talk,
    shown: Duration,
    shown_pass: &'static str,
}

impl Progress {
    /// For an input of this size. On a terminal, the line lives until [`finish`](Self::finish).
    pub fn new(talk: Talk, tokens: u64, bytes: u64) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let live = (talk > Talk::Quiet && !bar.is_hidden()).then_some(bar);
        if let Some(bar) = &live {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        let recent = vec![(Duration::ZERO, tokens)];
        let state = State {
            tokens: (tokens, tokens),
            bytes,
            tests: 0,
            tests_now: 0,
            tests_left: None,
            pass: "start",
            recent,
        };
        Self { state, live, talk, shown: Duration::ZERO, shown_pass: "" }
    }

    /// Takes an event that happened at `now`.
    pub fn event(&mut self, event: &Event, now: Duration) {
        if let Event::Told { how: Answered::Tested, .. } = event {
            self.state.tests_now += 1;
        }
        self.recall(event, now);
        match event {
            Event::Reduced { .. } if self.talk == Talk::Verbose => {
                self.print(&format!("{} {}", time(now), self.state.line(now)));
            }
            Event::Told { how, .. } if *how != Answered::Tested => return,
            Event::Done => return,
            _ => {}
        }
        self.show(now);
    }

    /// Takes an event of an earlier part of the run, or of this one, without showing anything.
    pub fn recall(&mut self, event: &Event, now: Duration) {
        match event {
            Event::Pass { name, .. } => self.state.pass = name,
            Event::Told { how: Answered::Tested, .. } => self.state.tests += 1,
            Event::Reduced { tokens, text, .. } => {
                (self.state.tokens.1, self.state.bytes) = (*tokens, text.len() as u64);
                self.state.forget(now);
                self.state.recent.push((now, *tokens));
            }
            Event::Expected { tests } => self.state.tests_left = Some(*tests),
            Event::Told { .. } | Event::Narrowed { .. } | Event::Done => {}
        }
    }

    /// Takes the live line away.
    pub fn finish(&self) {
        if let Some(bar) = &self.live {
            bar.finish_and_clear();
        }
    }

    fn show(&mut self, now: Duration) {
        let since = now.saturating_sub(self.shown);
        let another_pass = self.shown_pass != self.state.pass;
        let due = match (&self.live, self.talk) {
            (_, Talk::Quiet) => false,
            (Some(_), _) => since >= LIVE,
            (None, Talk::Verbose) => false,
            (None, Talk::Normal) => since >= SELDOM || another_pass && since >= OFTEN,
        };
        if !due {
            return;
        }
        self.state.forget(now);
        let line = self.state.line(now);
        match &self.live {
            Some(bar) => bar.set_message(line + &self.state.left(now)),
            None => self.print(&format!("{} {line}", time(now))),
        }
        (self.shown, self.shown_pass) = (now, self.state.pass);
    }

    fn print(&self, line: &str) {
        match &self.live {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use minirepro_engine::Outcome;

    use super::*;

    #[test]
    fn the_line_says_where_we_are() {
        let mut progress = Progress::new(Talk::Quiet, 2000, 9000);
        let at = Duration::from_secs;
        progress.event(&Event::Pass { name: "lists", edits: 7 }, at(1));
        let text = vec![b'x'; 4500].into();
        progress.event(&Event::Reduced { tokens: 1000, text, tests: 1 }, at(5));
        assert_eq!(
            progress.state.line(at(10)),
            "1,000 tokens (50 %), 4,500 bytes | 0 tests, 0.0/s | lists | −100 tokens/s"
        );
        assert_eq!(progress.state.left(at(10)), "", "nobody knows");
        let (pass, outcome, how) = ("lists", Outcome::Pass, Answered::Tested);
        progress.event(&Event::Told { pass, outcome, how }, at(10));
        progress.event(&Event::Expected { tests: 11 }, at(10));
        assert_eq!(progress.state.left(at(10)), " | about 11 tests left (1 min 51 s)");
        progress.state.forget(at(60));
        assert_eq!(progress.state.speed(at(60)), "", "nothing in the last seconds");
    }
}
