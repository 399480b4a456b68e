//! The events of a run as lines of JSON, for other programs (`--progress json`).
//!
//! Each line is an object with `event`, its kind, and `seconds`, the time since the run began. The
//! first line is `begin` and says the version of this form: a reader must not mind kinds and fields
//! that it does not know, which may be added without another version.

use std::time::{Duration, Instant};

use minirepro_program::{Event, Examined, Outcome, Over, RunEvent, SessionKind, StopReason};
use serde_json::{Value, json};

use super::course::Course;

/// The version of the form.
pub const VERSION: u32 = 1;
/// The time between two lines about the tests.
const OFTEN: Duration = Duration::from_secs(1);

/// Makes lines of events.
#[derive(Debug)]
pub struct JsonLines {
    begin: Instant,
    course: Course,
    told: Duration,
    has_begun: bool,
    file: String,
    jobs: usize,
}

impl JsonLines {
    /// Makes one for a run on an input of this name.
    pub fn new(file: &str, jobs: usize) -> Self {
        Self {
            begin: Instant::now(),
            course: Course::new(0, 0),
            told: Duration::ZERO,
            has_begun: false,
            file: file.to_owned(),
            jobs,
        }
    }

    /// Returns the lines for an event.
    pub fn event(&mut self, event: &RunEvent<'_>) -> Vec<String> {
        let elapsed = self.begin.elapsed();
        let mut lines = Vec::new();
        if !self.has_begun {
            self.has_begun = true;
            let begin = json!({
                "version": VERSION, "minirepro": env!("CARGO_PKG_VERSION"), "file": self.file, "jobs": self.jobs,
            });
            lines.push(line("begin", elapsed, begin));
        }
        if let Some((kind, fields)) = self.fields(event, elapsed) {
            lines.push(line(kind, elapsed, fields));
        }
        lines
    }

    fn fields(&mut self, event: &RunEvent<'_>, elapsed: Duration) -> Option<(&'static str, Value)> {
        Some(match event {
            RunEvent::FailureLearnt { signature, .. } => {
                ("failure", json!({ "signature": signature.to_string() }))
            }
            RunEvent::TestingInput { limit } => {
                let limit =
                    limit.map(|limit| ("time_limit".to_owned(), json!(limit.as_secs_f64())));
                ("testing-input", Value::Object(limit.into_iter().collect()))
            }
            RunEvent::BaselineDone(facts) => (
                "input-tested",
                json!({
                    "tests": facts.tests,
                    "slowest": facts.slowest.as_secs_f64(),
                    "time_limit": facts.limits.time.as_secs_f64(),
                    "language": facts.language,
                }),
            ),
            RunEvent::WorkersReady { workers, jobs } => {
                let worker = |worker: &Examined| match &worker.result {
                    Ok(hello) => json!({
                        "command": worker.command, "host": hello.host, "jobs": hello.jobs,
                    }),
                    Err(why) => json!({ "command": worker.command, "refused": why }),
                };
                let workers: Vec<Value> = workers.iter().map(worker).collect();
                ("workers", json!({ "workers": workers, "jobs": jobs }))
            }
            RunEvent::WorkerLost { command, why } => {
                ("worker-lost", json!({ "command": command, "why": why }))
            }
            RunEvent::Resuming { answers, .. } => ("resuming", json!({ "answers": answers })),
            RunEvent::SessionBegins(SessionKind::Reduction { name, tokens, bytes, .. }) => {
                self.course = Course::new(*tokens, *bytes);
                ("reduction", json!({ "name": name, "tokens": tokens, "bytes": bytes }))
            }
            RunEvent::SessionBegins(SessionKind::Isolation) => {
                self.course = Course::new(0, 0);
                ("isolation", json!({}))
            }
            RunEvent::Step { event, now, reused } => {
                self.course.event(event, *now, *reused);
                return self.step(event, *now, elapsed);
            }
            RunEvent::OtherCrashes(all) => {
                let crash = |(signature, crash): &(
                    minirepro_program::Signature,
                    minirepro_program::OtherCrash,
                )| {
                    json!({
                        "signature": signature.to_string(),
                        "bytes": crash.bytes,
                        "path": crash.path.to_string_lossy(),
                    })
                };
                ("other-failures", json!({ "found": all.iter().map(crash).collect::<Vec<_>>() }))
            }
            RunEvent::Reduced(reduced) => {
                let summary = &reduced.figures.session;
                (
                    "reduced",
                    json!({
                        "name": reduced.name,
                        "tokens": [summary.tokens.0, summary.tokens.1],
                        "bytes": [summary.bytes.0, summary.bytes.1],
                        "tests": summary.tests,
                        "certified": summary.certificate.is_some(),
                        "stopped": summary.stopped.map(StopReason::word),
                    }),
                )
            }
            RunEvent::ResultWritten { path } => {
                ("result", json!({ "path": path.to_string_lossy() }))
            }
            RunEvent::EditedResultKept { result, kept } => (
                "edited",
                json!({ "path": result.to_string_lossy(), "kept": kept.to_string_lossy() }),
            ),
            RunEvent::CanGoOn { journal } => {
                ("resumable", json!({ "journal": journal.to_string_lossy() }))
            }
            RunEvent::Over(over) => {
                let stopped = match over {
                    Over::Reduction(outcome) => outcome.stopped,
                    Over::Isolation(outcome) => outcome.stopped,
                    Over::Options(outcome) => outcome.stopped,
                };
                ("end", json!({ "stopped": stopped.map(StopReason::word) }))
            }
            _ => return None,
        })
    }

    /// Returns what there is to say about an event of a session: of tests, the sum now and then.
    fn step(
        &mut self,
        event: &Event,
        now: Duration,
        elapsed: Duration,
    ) -> Option<(&'static str, Value)> {
        let course = &self.course;
        Some(match event {
            Event::Pass { name, edits } => ("pass", json!({ "pass": name, "edits": edits })),
            Event::Reduced { tokens, text, tests } => (
                "smaller",
                json!({ "pass": course.pass, "tokens": tokens, "bytes": text.len(), "tests": tests }),
            ),
            Event::Narrowed { left, .. } => {
                ("narrowed", json!({ "left": left, "tests": course.tests }))
            }
            Event::Skipped { pass, tests } => ("skipped", json!({ "pass": pass, "tests": tests })),
            Event::Answered { outcome, .. } if elapsed.saturating_sub(self.told) >= OFTEN => {
                let left = course.left(now);
                let last = match outcome {
                    Outcome::Fail => "reproduced",
                    Outcome::Pass => "not-reproduced",
                    Outcome::Unresolved => "unresolved",
                };
                let fields = json!({
                    "pass": course.pass,
                    "tokens": course.tokens.1,
                    "bytes": course.bytes,
                    "tests": course.tests,
                    "tests_per_second": (course.speed(now) * 100.0).round() / 100.0,
                    "tests_left": left.map(|left| left.tests),
                    "seconds_left": left.map(|left| [left.time.0.as_secs(), left.time.1.as_secs()]),
                    "last": last,
                });
                self.told = elapsed;
                ("progress", fields)
            }
            Event::Answered { .. }
            | Event::Expected { .. }
            | Event::ByRule(_)
            | Event::Adopted { .. }
            | Event::RolledBack
            | Event::Done => return None,
        })
    }
}

/// Writes an object with its kind and time in front.
fn line(kind: &str, elapsed: Duration, fields: Value) -> String {
    let seconds = elapsed.as_secs_f64();
    let fields = fields.to_string();
    // The fields are an object, whose bracket is there already.
    let rest = match fields.strip_prefix('{') {
        Some("}") | None => "}".to_owned(),
        Some(rest) => format!(",{rest}"),
    };
    format!("{{\"event\":\"{kind}\",\"seconds\":{seconds:.3}{rest}")
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
        lines.event(event).into_iter().map(parse).collect()
    }

    #[test]
    fn each_event_is_an_object_and_the_first_says_the_version() {
        let mut lines = JsonLines::new("a.c", 2);
        let begin = json!({
            "event": "begin", "version": 1, "minirepro": env!("CARGO_PKG_VERSION"), "file": "a.c", "jobs": 2,
        });
        assert_eq!(
            told(&mut lines, &RunEvent::TestingInput { limit: None }),
            [begin, json!({ "event": "testing-input" })]
        );
        let text = &std::sync::Arc::from(&b"int main(void) { }\n\n"[..]);
        let kind = SessionKind::Reduction { name: "a.c", text, tokens: 9, bytes: 20 };
        assert_eq!(
            told(&mut lines, &RunEvent::SessionBegins(kind)),
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
