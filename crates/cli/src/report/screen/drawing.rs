//! Places what is shown on a screen of any size. What matters less goes first where there is no
//! room.

use std::time::Duration;

use minirepro_program::pass_in_words;
use ratatui_core::layout::Rect;
use ratatui_core::style::Stylize;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span, Text};

use super::model::Model;
use super::painting::Painting;
use crate::report::numbers::{count, counted, percent, time};
use crate::report::terminal;

/// The least screen on which anything but the figures fits.
const LEAST: (u16, u16) = (40, 12);

/// What is shown besides the model.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The time since the run began.
    pub elapsed: Duration,
    /// How long each test under way has been running, the longest first.
    pub running: &'a [Duration],
    /// Whether the run is paused.
    pub is_paused: bool,
    /// Whether it was asked to stop.
    pub is_stopping: bool,
    /// The text.
    pub painting: &'a Painting,
}

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, model: &Model, moment: &Moment<'_>) {
    let area = frame.area();
    let mut facts = facts(model, moment, area.width);
    if area.width < LEAST.0 || area.height < LEAST.1 {
        facts.truncate(usize::from(area.height));
        frame.render_widget(Text::from(facts), area);
        return;
    }
    // The text gets at least half of the screen.
    facts.truncate(usize::from(area.height / 2));
    let top = u16::try_from(facts.len()).unwrap_or(area.height / 2);
    let body = Rect { y: top, height: area.height - top - 1, ..area };
    frame.render_widget(Text::from(facts), Rect { height: top, ..area });
    let shown = match model.shows_help {
        true => explained(area.width),
        false => text(body, model, moment.painting),
    };
    frame.render_widget(Text::from(shown), body);
    frame.render_widget(help(), Rect { y: area.height - 1, height: 1, ..area });
}

/// Returns the width in which the text stands on a screen of this width.
pub fn text_width(screen: u16) -> u16 {
    screen.saturating_sub(2).max(1)
}

/// Returns the lines at the top.
fn facts(model: &Model, moment: &Moment<'_>, width: u16) -> Vec<Line<'static>> {
    let course = &model.course;
    let now = model.waiting.clone().unwrap_or_else(|| pass_of(model));
    let mut facts = Vec::new();
    if model.best.is_some() {
        facts.extend(model.failure.clone().map(|failure| ("Fails", failure)));
        let size = format!(
            "{} of {} ({}), {}",
            count(course.tokens.1),
            counted(course.tokens.0, "token"),
            percent(course.tokens.1, course.tokens.0),
            counted(course.bytes, "byte"),
        );
        let running = moment.running.first().map_or(String::new(), |longest| {
            format!("; {} running, the longest for {}", moment.running.len(), time(*longest))
        });
        let speed = course.speed(model.now);
        let tests = format!("{}, {speed:.1} per second{running}", count(course.tests));
        let left = course.left(model.now).map_or("not known yet".to_owned(), |left| {
            format!("{}, {}", left.time_in_words(), left.tests_in_words())
        });
        facts.extend([("Size", size), ("Tests", tests), ("Left", left)]);
    }
    facts.push(("Now", now));
    if let Some((number, place)) = &model.others {
        let number = counted(*number, "other failure");
        facts.push(("Also", format!("{number} found, kept in {}", terminal::shown(place))));
    }
    let facts = facts.iter().flat_map(|(name, text)| fact(name, text, usize::from(width)));
    [title(model, moment)].into_iter().chain(facts).collect()
}

/// Returns the first line: what is reduced, and how long it has been.
fn title(model: &Model, moment: &Moment<'_>) -> Line<'static> {
    let state = match (moment.is_stopping, moment.is_paused) {
        (true, _) => "stopping".bold().reversed(),
        (_, true) => "paused".bold().reversed(),
        _ => Span::raw("running"),
    };
    let elapsed = Span::raw(format!(" for {}", time(moment.elapsed)));
    Line::from_iter(["minirepro ".bold(), Span::raw(model.input.clone() + ": "), state, elapsed])
}

/// Returns a fact with its name in front, in as many lines as it needs.
fn fact(name: &str, what: &str, width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<String> = Vec::new();
    for word in what.split(' ') {
        match lines.last_mut() {
            Some(line) if NAME + line.chars().count() + 1 + word.chars().count() <= width => {
                *line += &format!(" {word}");
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let names = [name].into_iter().chain(std::iter::repeat(""));
    let line = |(name, text)| Line::from_iter([format!("{name:NAME$}").dim(), Span::raw(text)]);
    names.zip(lines).map(line).collect()
}

/// The columns that the names of facts take.
const NAME: usize = 6;

/// Says what is tried.
fn pass_of(model: &Model) -> String {
    let name = model.course.pass;
    if name.is_empty() {
        return "starting".to_owned();
    }
    let what = pass_in_words(name).unwrap_or("the edits of this pass");
    let edits = counted(model.course.edits as u64, "edit");
    format!("{what} ({edits}, {})", counted(model.asked, "test"))
}

fn heading(title: &'static str, width: u16) -> Line<'static> {
    let line = "─".repeat(usize::from(width).saturating_sub(title.len()));
    Line::from_iter([Span::raw(title), line.dim()])
}

/// Returns the text, so that the last change is in the middle.
fn text(place: Rect, model: &Model, painting: &Painting) -> Vec<Line<'static>> {
    let title = match model.best {
        Some(_) if model.before.is_some() => " the smallest so far, with what just went ",
        Some(_) => " the input: nothing smaller found so far ",
        None => " nothing to show yet ",
    };
    let Painting { lines, changed } = painting;
    let height = usize::from(place.height.saturating_sub(1));
    let first = changed.saturating_sub(height / 2).min(lines.len().saturating_sub(height));
    let shown = lines.iter().skip(first).take(height).cloned();
    [heading(title, place.width)].into_iter().chain(shown).collect()
}

/// The keys, with what stands about them at the bottom of the screen, and in full sentences.
const KEYS: [(&str, &str, &str); 4] = [
    ("p", "pause", "Start no further test until p is pressed again; those that run go on."),
    (
        "g",
        "good enough",
        "The text is small enough: stop here, lay it out, and keep it as the result.",
    ),
    ("q", "quit", "End the run, as Ctrl-C does. `minirepro resume` goes on where it ended."),
    ("?", "help", "Show this, or hide it again. Ctrl-L draws everything again, Ctrl-Z suspends."),
];

/// Says what the keys do.
fn explained(width: u16) -> Vec<Line<'static>> {
    let keys = KEYS.iter().flat_map(|(key, _, what)| fact(key, what, usize::from(width)));
    [heading(" keys ", width)].into_iter().chain(keys).collect()
}

fn help() -> Line<'static> {
    let key = |(key, what, _)| [Span::raw(key).reversed(), Span::raw(format!(" {what}  "))];
    KEYS.into_iter().flat_map(key).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use minirepro_program::{AnswerSource, Event, Outcome, RunEvent};
    use ratatui_core::backend::TestBackend;
    use ratatui_core::terminal::Terminal;

    use super::*;
    use crate::report::screen::painting::paint;

    /// Returns a model of a run in the middle.
    fn model() -> Model {
        let mut model = Model { input: "crash.c".to_owned(), ..Model::default() };
        let (name, tokens, bytes) = ("crash.c", 34_567, 123_456);
        let text = &std::sync::Arc::from(
            &b"int f(int);\nint main(void) { int i = 1; return f(2); }\n"[..],
        );
        model.event(&RunEvent::ReductionBegins { name, text, tokens, bytes });
        let reused = 0;
        let mut step = |event: Event, seconds: u64| {
            let now = Duration::from_secs(seconds);
            model.event(&RunEvent::Step { event: &event, now, reused });
        };
        step(Event::Pass { name: "remove-unused", edits: 100 }, 0);
        for test in 1..=120_u64 {
            let answered = Event::Answered {
                pass: "lists",
                outcome: Outcome::Pass,
                how: AnswerSource::Tested,
            };
            step(answered, test);
            if test == 60 {
                step(Event::Pass { name: "delete-and-hoist", edits: 34 }, test);
            }
            if test % 12 == 0 {
                let tokens = 34_567 >> (test / 12);
                let text = b"int f(int);\nint main(void) { return f(2); }\n".as_slice().into();
                step(Event::Reduced { tokens, text, tests: test }, test);
            }
        }
        step(Event::Expected { tests: 40 }, 120);
        model.others = Some((1, "crash.finds".into()));
        model
    }

    fn screen(model: &Model, width: u16, height: u16, is_paused: bool) -> String {
        let before = b"int f(int);\nint main(void) { int i = 1; return f(2); }\n";
        let text = b"int f(int);\nint main(void) { return f(2); }\n";
        let painting = paint(Some(before), text, text_width(width), true);
        let moment = Moment {
            elapsed: Duration::from_secs(125),
            running: &[Duration::from_millis(400), Duration::from_millis(10)],
            is_paused,
            is_stopping: false,
            painting: &painting,
        };
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, model, &moment)).unwrap();
        let shown = terminal.backend().to_string();
        let lines = shown.lines().map(|line| line.trim_matches('"').trim_end().to_owned() + "\n");
        lines.collect()
    }

    fn check(shown: &str, expected: &Expect) {
        expected.assert_eq(shown);
    }

    #[test]
    fn at_80_columns_nothing_important_is_cut_off() {
        check(
            &screen(&model(), 80, 24, false),
            &expect![[r#"
                minirepro crash.c: running for 2 min 05 s
                Size  33 of 34,567 tokens (0.10 %), 44 bytes
                Tests 120, 1.0 per second; 2 running, the longest for 0.40 s
                Left  20 to 80 s, about 40 tests
                Now   drop a list element or an optional part; put a smaller node or the least
                      text in a node's place (34 edits, 60 tests)
                Also  1 other failure found, kept in crash.finds
                 the smallest so far, with what just went ──────────────────────────────────────
                int f(int);
                int main(void) { int i = 1; return f(2); }













                p pause  g good enough  q quit  ? help
            "#]],
        );
    }

    #[test]
    fn a_paused_run_says_so() {
        let shown = screen(&model(), 120, 30, true);
        assert!(shown.starts_with("minirepro crash.c: paused for 2 min 05 s\n"), "{shown}");
    }

    #[test]
    fn before_the_search_it_says_what_is_waited_for() {
        let mut model = Model { input: "crash.c".to_owned(), ..Model::default() };
        model.event(&RunEvent::TestingInput { limit: None });
        let shown = screen(&model, 60, 12, false);
        assert!(shown.contains("Now   testing the unchanged input"), "{shown}");
    }

    #[test]
    fn every_size_can_be_drawn() {
        let model = model();
        for width in [1, 2, 5, 20, 39, 40, 41, 79, 300] {
            for height in [1, 2, 3, 7, 11, 12, 13, 24, 100] {
                let shown = screen(&model, width, height, false);
                assert_eq!(shown.lines().count(), usize::from(height));
            }
        }
    }
}
