//! All that the screen shows, as plain data.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use minirepro_program::{AnswerSource, Event, RunEvent};

use crate::report::baseline;
use crate::report::course::Course;
use crate::report::terminal;

/// All that is shown.
#[derive(Clone, Debug, Default)]
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
    /// How many other failures were met, and the directory that keeps their inputs.
    pub others: Option<(u64, PathBuf)>,
    /// What the pass under way has asked.
    pub asked: u64,
    /// Whether the meaning of the keys is shown instead of the text.
    pub shows_help: bool,
    /// How often it has changed.
    pub changes: u64,
}

impl Model {
    /// Takes an event of the run.
    pub fn event(&mut self, event: &RunEvent<'_>) {
        self.changes += 1;
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
            RunEvent::OtherCrashes { found } => {
                let place = found.last().and_then(|(_, crash)| crash.path.parent());
                self.others = place.map(|place| (found.len() as u64, place.to_owned()));
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
