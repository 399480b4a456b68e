//! The events of a run as lines of JSON, for other programs (`--progress json`).
//!
//! Each line is an object with `event`, its kind, and `seconds`, the time since the run began. The
//! first line is `begin` and says the version of this form: a reader must not mind kinds and fields
//! that it does not know, which may be added without another version.

use std::time::{Duration, Instant};

use minirepro_program::{Event, RunEvent};
use serde::Serialize;
use serde_json::{Value, json};

use super::course::Course;
use super::sinks::Sink;
use super::terminal::say;

/// The version of the form.
pub const VERSION: u32 = 2;
/// The time between two lines about the tests.
const OFTEN: Duration = Duration::from_secs(1);

/// Writes lines of events.
#[derive(Debug)]
pub struct JsonLines {
    begin: Instant,
    course: Course,
    told: Duration,
    /// What the first line says, until it is written.
    head: Option<Value>,
}

/// A line.
#[derive(Serialize)]
struct Line<T> {
    seconds: f64,
    #[serde(flatten)]
    event: T,
}

impl Sink for JsonLines {
    fn event(&mut self, event: &RunEvent<'_>) {
        self.lines(event).iter().for_each(|line| say!("{line}"));
    }
}

impl JsonLines {
    /// Makes one for a run on an input of this name.
    pub fn new(file: &str, jobs: usize) -> Self {
        let head = json!({
            "event": "begin",
            "version": VERSION,
            "minirepro": env!("CARGO_PKG_VERSION"),
            "file": file,
            "jobs": jobs,
        });
        Self {
            begin: Instant::now(),
            course: Course::new(0, 0),
            told: Duration::ZERO,
            head: Some(head),
        }
    }

    /// Returns the lines for an event. Those that only help people have none.
    fn lines(&mut self, event: &RunEvent<'_>) -> Vec<String> {
        let elapsed = self.begin.elapsed();
        let head = self.head.take().and_then(|head| line(elapsed, head));
        let own = match event {
            RunEvent::Step { event, now, reused } => {
                self.course.event(event, *now, *reused);
                self.step(event, *now, elapsed).and_then(|fields| line(elapsed, fields))
            }
            RunEvent::ReductionBegins { tokens, bytes, .. } => {
                self.course = Course::new(*tokens, *bytes);
                line(elapsed, event)
            }
            event => line(elapsed, event),
        };
        head.into_iter().chain(own).collect()
    }

    /// Returns what there is to say about an event of a session: of tests, the sum now and then.
    fn step(&mut self, event: &Event, now: Duration, elapsed: Duration) -> Option<Value> {
        let course = &self.course;
        Some(match event {
            Event::Pass { name, edits } => json!({ "event": "pass", "pass": name, "edits": edits }),
            Event::Reduced { tokens, text, tests } => json!({
                "event": "smaller",
                "pass": course.pass,
                "tokens": tokens,
                "bytes": text.len(),
                "tests": tests,
            }),
            Event::Narrowed { left, .. } => {
                json!({ "event": "narrowed", "left": left, "tests": course.tests })
            }
            Event::Answered { outcome, .. } if elapsed.saturating_sub(self.told) >= OFTEN => {
                let left = course.left(now);
                self.told = elapsed;
                json!({
                    "event": "progress",
                    "pass": course.pass,
                    "tokens": course.tokens.1,
                    "bytes": course.bytes,
                    "tests": course.tests,
                    "tests_per_second": (course.speed(now) * 100.0).round() / 100.0,
                    "tests_left": left.map(|left| left.tests),
                    "seconds_left": left.map(|left| [left.time.0.as_secs(), left.time.1.as_secs()]),
                    "last": outcome,
                })
            }
            _ => return None,
        })
    }
}

fn line(elapsed: Duration, event: impl Serialize) -> Option<String> {
    let seconds = (elapsed.as_secs_f64() * 1000.0).round() / 1000.0;
    serde_json::to_string(&Line { seconds, event }).ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Returns the lines for an event, without their times.
    fn told(lines: &mut JsonLines, event: &RunEvent<'_>) -> Vec<Value> {
        let parse = |line: String| {
            let mut value: Value = serde_json::from_str(&line).unwrap();
            let seconds = value.as_object_mut().unwrap().remove("seconds");
            assert!(seconds.unwrap().is_number());
            value
        };
        lines.lines(event).into_iter().map(parse).collect()
    }

    #[test]
    fn each_event_is_an_object_and_the_first_says_the_version() {
        let mut lines = JsonLines::new("a.c", 2);
        let begin = json!({
            "event": "begin", "version": 2, "minirepro": env!("CARGO_PKG_VERSION"), "file": "a.c", "jobs": 2,
        });
        assert_eq!(
            told(&mut lines, &RunEvent::TestingInput { limit: None }),
            [begin, json!({ "event": "testing-input" })]
        );
        let text = &std::sync::Arc::from(&b"int main(void) { }\n\n"[..]);
        let begins = RunEvent::ReductionBegins { name: "a.c", text, tokens: 9, bytes: 20 };
        assert_eq!(
            told(&mut lines, &begins),
            [json!({ "event": "reduction", "name": "a.c", "tokens": 9, "bytes": 20 })]
        );
        let event = Event::Reduced { tokens: 4, text: b"x".as_slice().into(), tests: 3 };
        let (now, reused) = (Duration::ZERO, 0);
        assert_eq!(
            told(&mut lines, &RunEvent::Step { event: &event, now, reused }),
            [json!({ "event": "smaller", "pass": "", "tokens": 4, "bytes": 1, "tests": 3 })]
        );
        let path = Path::new("a.min.c");
        assert_eq!(
            told(&mut lines, &RunEvent::ResultWritten { path }),
            [json!({ "event": "result", "path": "a.min.c" })]
        );
        assert!(told(&mut lines, &RunEvent::Learning { limit: Duration::ZERO }).is_empty());
    }
}
