//! All that the screen shows, as plain data.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use minirepro_program::{AnswerSource, Event, RunEvent};

use crate::report::baseline;
use crate::report::course::Course;
use crate::report::terminal;

/// All that is shown.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the input is called.
    pub input: String,
    /// The failure that is looked for, where it was learnt.
    pub failure: Option<String>,
    /// What goes on before the search, or between its parts.
    pub waiting: Option<String>,
    /// How far it is.
    pub course: Course,
    /// The time since this part began, at the last event.
    pub now: Duration,
    /// The smallest text so far, which is the input at first.
    pub best: Option<Arc<[u8]>>,
    /// The smallest text before that one.
    pub before: Option<Arc<[u8]>>,
    /// Other failures.
    pub crashes: Vec<Crash>,
    /// What the pass under way has asked.
    pub asked: u64,
    /// Whether the meaning of the keys is shown instead of the text.
    pub shows_help: bool,
}

/// Another failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// What it is.
    pub what: String,
    /// The directory that keeps its input.
    pub place: PathBuf,
}

impl Model {
    /// Begins with an input of this name.
    pub fn new(input: String) -> Self {
        Self {
            input,
            failure: None,
            waiting: None,
            course: Course::new(0, 0),
            now: Duration::ZERO,
            before: None,
            best: None,
            crashes: Vec::new(),
            asked: 0,
            shows_help: false,
        }
    }

    /// Takes an event of the run.
    pub fn event(&mut self, event: &RunEvent<'_>) {
        match *event {
            RunEvent::Learning { limit } => self.waiting = Some(baseline::learning(limit)),
            RunEvent::FailureLearnt { signature, .. } => {
                self.failure = Some(terminal::name(&signature.to_string()));
            }
            RunEvent::TestingInput { limit } => self.waiting = Some(baseline::testing(limit)),
            RunEvent::StartingWorkers { .. } => self.waiting = Some("starting workers".to_owned()),
            RunEvent::BaselineDone(_) => self.waiting = None,
            RunEvent::ReductionBegins { text, tokens, bytes, .. } => {
                self.course = Course::new(tokens, bytes);
                (self.best, self.before) = (Some(Arc::clone(text)), None);
                self.waiting = None;
                self.now = Duration::ZERO;
            }
            RunEvent::IsolationBegins => {
                self.waiting = Some("looking for files and names that can go".to_owned());
            }
            RunEvent::Step { event, now, reused } => self.step(event, now, reused),
            RunEvent::OtherCrashes { found: all } => {
                let crash = |(signature, crash): &(
                    minirepro_program::Signature,
                    minirepro_program::OtherCrash,
                )| Crash {
                    what: terminal::name(&signature.to_string()),
                    place: crash.path.parent().map(Path::to_owned).unwrap_or_default(),
                };
                self.crashes = all.iter().map(crash).collect();
            }
            RunEvent::SessionEnds => self.waiting = Some("finishing".to_owned()),
            _ => {}
        }
    }

    fn step(&mut self, event: &Event, now: Duration, reused: u64) {
        self.course.event(event, now, reused);
        self.now = now;
        match event {
            Event::Pass { .. } => self.asked = 0,
            Event::Answered { how: AnswerSource::Tested, .. } => self.asked += 1,
            Event::Reduced { text, .. } => {
                self.before = self.best.replace(Arc::clone(text));
            }
            _ => {}
        }
    }
}
