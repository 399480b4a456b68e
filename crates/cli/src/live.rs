//! One line that says where we are: live on a terminal, else a plain line now and then. Knows no
//! session.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::figures::time;
use crate::plan::Talk;

/// The live line changes at most so often.
const LIVE: Duration = Duration::from_millis(80);
/// A plain line comes at most so often.
const SELDOM: Duration = Duration::from_secs(2);

/// The line.
#[derive(Debug)]
pub struct Live {
    bar: Option<ProgressBar>,
    talk: Talk,
    shown: Duration,
}

impl Live {
    /// On a terminal, the line lives until [`finish`](Self::finish).
    pub fn new(talk: Talk) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let bar = (talk > Talk::Quiet && !bar.is_hidden()).then_some(bar);
        if let Some(bar) = &bar {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, talk, shown: Duration::ZERO }
    }

    /// Shows a line at the time `now`, if it is due; every `step` is due if all is to be shown.
    pub fn show(&mut self, line: impl Fn() -> String, now: Duration, step: bool) {
        let since = now.saturating_sub(self.shown);
        match (&self.bar, self.talk) {
            (_, Talk::Quiet) => return,
            (Some(bar), Talk::Verbose) if step => bar.println(format!("{} {}", time(now), line())),
            (None, Talk::Verbose) if step => eprintln!("{} {}", time(now), line()),
            (Some(bar), _) if since >= LIVE => bar.set_message(line()),
            (None, Talk::Normal) if since >= SELDOM => eprintln!("{} {}", time(now), line()),
            _ => return,
        }
        self.shown = now;
    }

    /// Takes the live line away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What goes on before a search.
pub const UNCHANGED: &str = "testing the unchanged input";

/// Says on a terminal what is going on, until it is dropped.
#[derive(Debug)]
pub struct Waiting(Live);

impl Waiting {
    /// For what may take long, and has no steps.
    pub fn new(talk: Talk, what: &'static str) -> Self {
        let live = Live::new(talk);
        if let Some(bar) = &live.bar {
            bar.set_message(what);
        }
        Self(live)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish();
    }
}
