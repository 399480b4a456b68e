//! One line that says where a run is: live on a terminal, else a plain line now and then.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::numbers::time;
use super::terminal::{plain, say};
use super::verbosity::Verbosity;

/// The shortest time between two changes of the live line.
const LIVE: Duration = Duration::from_millis(80);
/// The time between two positions of the spinner.
const TICK: Duration = Duration::from_millis(200);
/// Without a terminal, the time between two words about something that has no steps.
const WAITING: Duration = Duration::from_secs(5);

/// The line. It lives until it is dropped.
#[derive(Debug)]
pub struct StatusLine {
    bar: Option<ProgressBar>,
    ticker: Option<Ticker>,
    verbosity: Verbosity,
    shown: Duration,
}

impl StatusLine {
    /// Makes a line that shows nothing yet; `may_be_live` unless plain lines are wanted at a
    /// terminal, too.
    pub fn new(verbosity: Verbosity, may_be_live: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let is_live = may_be_live && verbosity > Verbosity::Quiet && !bar.is_hidden();
        let bar = is_live.then_some(bar);
        if let Some(bar) = &bar {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        }
        let ticker = bar.clone().and_then(Ticker::start);
        Self { bar, ticker, verbosity, shown: Duration::ZERO }
    }

    /// Makes a line for something that may take long and has no steps. Without a terminal, a line
    /// comes now and then while it does take long.
    pub fn waiting(verbosity: Verbosity, may_be_live: bool, what: &str) -> Self {
        let mut line = Self::new(verbosity, may_be_live);
        match &line.bar {
            Some(bar) => bar.set_message(what.to_owned()),
            None if verbosity == Verbosity::Quiet => {}
            None => line.ticker = Ticker::start_plain(what),
        }
        line
    }

    /// Returns whether the line is live, on a terminal.
    pub fn is_live(&self) -> bool {
        self.bar.is_some()
    }

    /// Returns whether it is time for another text at `now`. Without a terminal, texts are `apart`
    /// from each other.
    pub fn is_due(&self, now: Duration, apart: Duration) -> bool {
        let since = now.saturating_sub(self.shown);
        match (&self.bar, self.verbosity) {
            (_, Verbosity::Quiet) | (None, Verbosity::Verbose) => false,
            (Some(_), _) => since >= LIVE,
            (None, Verbosity::Normal) => since >= apart,
        }
    }

    /// Shows a text.
    pub fn show(&mut self, text: &str, now: Duration) {
        match &self.bar {
            Some(bar) => bar.set_message(plain(text)),
            None => say!("{} {text}", time(now)),
        }
        self.shown = now;
    }

    /// Shows a text for good, above the live line, if every step is to be shown.
    pub fn show_step(&mut self, text: &str, now: Duration) {
        if self.verbosity < Verbosity::Verbose {
            return;
        }
        match &self.bar {
            Some(bar) => bar.println(plain(&format!("{} {text}", time(now)))),
            None => say!("{} {text}", time(now)),
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        if let Some(ticker) = self.ticker.take() {
            ticker.stop();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A thread that turns the spinner. indicatif's own panics if the system has no thread left.
#[derive(Debug)]
struct Ticker {
    running: Sender<()>,
    thread: JoinHandle<()>,
}

impl Ticker {
    /// Starts to turn the spinner; without a thread, it moves only with the text.
    fn start(bar: ProgressBar) -> Option<Self> {
        let (running, stopped) = channel();
        let turn = move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
        };
        let thread = thread::Builder::new().spawn(turn).ok()?;
        Some(Self { running, thread })
    }

    /// Starts to say now and then that something still goes on.
    fn start_plain(what: &str) -> Option<Self> {
        let (running, stopped) = channel();
        let what = what.to_owned();
        let tell = move || {
            let begin = Instant::now();
            while stopped.recv_timeout(WAITING) == Err(RecvTimeoutError::Timeout) {
                say!("{} {what}", time(begin.elapsed()));
            }
        };
        let thread = thread::Builder::new().spawn(tell).ok()?;
        Some(Self { running, thread })
    }

    /// Waits until the spinner stands still.
    fn stop(self) {
        drop(self.running);
        // The spinner is not a reason to fail.
        let _ = self.thread.join();
    }
}
