//! What people do on a page: clicks, keys, text and the like. They stand in the page itself, in a
//! script that no browser runs, so that both are reduced as one text.

pub(crate) mod alone;
pub(crate) mod element;
pub(crate) mod forms;
pub(crate) mod keys;
pub(crate) mod recorder;
pub(crate) mod script;

use std::time::Duration;

use serde::Serialize;

/// Something that a person does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Action {
    pub(crate) kind: Kind,
    /// Selectors of an element, each as good as the others; see `element.rs` for what they may say.
    pub(crate) target: Vec<String>,
    /// The text, the keys, the address, or the line of script.
    pub(crate) text: String,
    /// A place from the element's corner (its middle if there is none), or where the page or the
    /// element is scrolled to, or the pixels of the wheel, or the size, or milliseconds.
    pub(crate) numbers: Vec<f64>,
}

/// The kinds of actions.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
pub(crate) enum Kind {
    Click,
    DoubleClick,
    RightClick,
    Hover,
    /// Presses the button of the mouse.
    Hold,
    /// Lets the button go.
    Release,
    /// Gives a field another text, or a list another choice.
    Fill,
    /// Types where the focus is.
    Type,
    /// Presses keys and lets them go: `Enter`, `Control+b`.
    Press,
    /// Presses a key.
    Down,
    /// Lets a key go.
    Up,
    /// Scrolls an element or the page to a place.
    Scroll,
    /// Turns the wheel of the mouse over an element.
    Wheel,
    /// Gives the window another size.
    Resize,
    Wait,
    /// Opens another page.
    Go,
    /// Runs a line of script.
    Line,
}

impl Kind {
    /// Returns whether the pointer does it to an element.
    pub(crate) fn is_of_pointer(self) -> bool {
        self <= Self::Release
    }
}

impl Action {
    pub(crate) fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, target: Vec::new(), text: text.into(), numbers: Vec::new() }
    }

    pub(crate) fn at(kind: Kind, target: Vec<String>, numbers: &[f64]) -> Self {
        Self { kind, target, text: String::new(), numbers: numbers.to_vec() }
    }

    /// Returns two of its numbers.
    pub(crate) fn pair(&self) -> Option<[f64; 2]> {
        self.numbers.first_chunk().copied()
    }

    /// Returns the size of a window.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
    pub(crate) fn size(&self) -> Option<[u32; 2]> {
        self.pair()
            .filter(|_| self.kind == Kind::Resize)
            .map(|size| size.map(|side| side.max(1.0) as u32))
    }
}

/// Returns how long a person waits.
pub(crate) fn waits(actions: &[Action]) -> Duration {
    let waits = actions.iter().filter(|action| action.kind == Kind::Wait);
    let times = waits.flat_map(|wait| wait.numbers.first());
    times.filter_map(|time| Duration::try_from_secs_f64(time / 1000.0).ok()).sum()
}

/// Adds what was recorded in parts: letters become a text, a key that is pressed and let go is one
/// that is typed, and of changes of one thing that follow each other the last one counts.
pub(crate) fn join(all: &mut Vec<Action>, action: Action) {
    let is_letter = |text: &str| text.chars().count() == 1;
    if let [before @ .., held, pressed] = &all[..]
        && (held.kind, action.kind) == (Kind::Down, Kind::Up)
        && held.text == action.text
        && (pressed.kind == Kind::Press || pressed.kind == Kind::Type && is_letter(&pressed.text))
    {
        let (keys, before) = (format!("{}+{}", held.text, pressed.text), before.len());
        all.truncate(before);
        all.push(Action::new(Kind::Press, keys));
        return;
    }
    let Some(last) = all.last_mut() else { return all.push(action) };
    let is_same = last.target == action.target;
    match (last.kind, action.kind) {
        (Kind::Down, Kind::Up) if last.text == action.text => {
            all.pop();
            let kind = if is_letter(&action.text) { Kind::Type } else { Kind::Press };
            join(all, Action::new(kind, action.text));
        }
        (Kind::Type, Kind::Type) => last.text += &action.text,
        (Kind::Wait, Kind::Wait) => last.numbers[0] += action.numbers[0],
        (Kind::Wheel, Kind::Wheel) if is_same => {
            last.numbers.iter_mut().zip(action.numbers).for_each(|(by, more)| *by += more);
        }
        (Kind::Scroll, Kind::Scroll) | (Kind::Click, Kind::DoubleClick) if is_same => {
            *last = action
        }
        _ => all.push(action),
    }
}

#[cfg(test)]
mod tests {
    use super::join;
    use super::script::{read, write};

    #[test]
    fn parts_of_one_action_are_joined() {
        for (recorded, expected) in [
            ("down('a');up('a');down('b');up('b');type('c')", "type(\"abc\");\n"),
            ("down('Enter');up('Enter')", "press(\"Enter\");\n"),
            (
                "down('Control');down('Shift');down('k');up('k');up('Shift');up('Control')",
                "press(\"Control+Shift+k\");\n",
            ),
            (
                "down('Shift');click('a');up('Shift')",
                "down(\"Shift\");\nclick(\"a\");\nup(\"Shift\");\n",
            ),
            ("scroll(0,3);scroll(0,9);scroll('a',0,1)", "scroll(0,9);\nscroll(\"a\",0,1);\n"),
            (
                "wheel('a',0,3);wheel('a',1,9);wheel('b',0,1)",
                "wheel(\"a\",1,12);\nwheel(\"b\",0,1);\n",
            ),
            ("click('a');doubleclick('a',1,2)", "doubleclick(\"a\",1,2);\n"),
        ] {
            let mut all = Vec::new();
            read(recorded).into_iter().for_each(|action| join(&mut all, action));
            assert_eq!(write(&all), expected);
        }
    }
}
